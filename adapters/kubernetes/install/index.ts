export { CARD_TEMPLATE_DEFINITION, POOL_DEFINITION, QUEUEING_DEFINITIONS } from './crds/index.ts';
export type { Outcome, Step, StepFailure } from './apply-objects.ts';
export { customObjects, install, type InstallTools, uninstall, upgrade } from './install.ts';
export { type InstalledObject, installedObjects, isOfHelm, LEASE, leasesLeft, whereInstalled } from './installed.ts';
export { idOf, textOfId } from './kinds.ts';
export { manifestsOf, yamlOf } from './manifests.ts';
export {
  DEFAULT_NAMESPACE,
  LEASE_NAMESPACE,
  leaseNameOf,
  PART_OF_SELECTOR,
  QUEUE_CONTROLLER,
  SCHEDULER,
  SCHEDULER_NAME,
  WEBHOOK,
  WEBHOOK_PATHS,
  WEBHOOK_SECRET,
  webhookHost,
} from './names.ts';
export { type BadOption, checkInstallOptions, type InstallOptions } from './options.ts';
export { STARTER_TEMPLATES } from './starter-templates.ts';
