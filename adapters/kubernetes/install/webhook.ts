import { SCHEDULE_LABEL, TEMPLATE_LABEL } from '@springtide/ports/admission';
import type { AppliedObject } from '../client/apply.ts';
import { PART_LABELS, WEBHOOK, WEBHOOK_LABELS, WEBHOOK_PATHS, WEBHOOK_SECRET, webhookHost } from './names.ts';
import type { InstallOptions } from './options.ts';

const SERVICE_PORT = 443;
/** Longer than the webhook itself takes at most: where it says something about pods, and where it writes on many. */
const TIMEOUT_S = 5;
const SCALE_IN_TIMEOUT_S = 10;

/** What the API server needs to ask the webhook, beside its Deployment. */
export function webhookObjects(options: InstallOptions): AppliedObject[] {
  const { namespace, certificates } = options;
  const certificate = certificates === 'cert-manager' ? certManagerObjects(namespace) : [secretObject(namespace)];
  return [serviceObject(namespace), ...certificate, webhookConfiguration(options), scaleInConfiguration(options)];
}

function serviceObject(namespace: string): AppliedObject {
  const ports = [{ name: 'https', port: SERVICE_PORT, targetPort: 'https', protocol: 'TCP' }];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: WEBHOOK, namespace, labels: WEBHOOK_LABELS },
    spec: { selector: WEBHOOK_LABELS, ports },
  };
}

/** Empty: the webhook puts its certificate in, and need not be allowed to make Secrets. */
function secretObject(namespace: string): AppliedObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: WEBHOOK_SECRET, namespace }, type: 'Opaque' };
}

/** Its Secret carries our labels, so that it goes with the rest. */
function certManagerObjects(namespace: string): AppliedObject[] {
  const apiVersion = 'cert-manager.io/v1';
  const metadata = { name: WEBHOOK, namespace };
  const spec = {
    secretName: WEBHOOK_SECRET,
    secretTemplate: { labels: PART_LABELS },
    dnsNames: [webhookHost(namespace)],
    issuerRef: { name: WEBHOOK, kind: 'Issuer' },
    privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
  };
  return [
    { apiVersion, kind: 'Issuer', metadata, spec: { selfSigned: {} } },
    { apiVersion, kind: 'Certificate', metadata, spec },
  ];
}

/** One kind of objects with pods, and when a change of it is looked at. */
interface Looked {
  readonly name: string;
  readonly group: string;
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  /** Where a change shows that concerns the pods: all else, such as replicas, is let through without asking. */
  readonly podField: string;
}

const APPS = ['deployments', 'statefulsets', 'daemonsets', 'replicasets'];
const WRITES = ['CREATE', 'UPDATE'];

const LOOKED: readonly Looked[] = [
  { name: 'pods', group: '', resources: ['pods'], operations: ['CREATE'], podField: '' },
  { name: 'apps', group: 'apps', resources: APPS, operations: WRITES, podField: 'spec.template' },
  // The pods of a Job cannot be changed.
  { name: 'jobs', group: 'batch', resources: ['jobs'], operations: ['CREATE'], podField: '' },
  { name: 'cronjobs', group: 'batch', resources: ['cronjobs'], operations: WRITES, podField: 'spec.jobTemplate' },
];

/**
 * Pods in namespaces that are ours fail open: without the webhook they are as they would be without Springtide.
 * Whoever names a template fails closed, since a pod without its cards would run on nothing; and nobody else is asked.
 */
function webhookConfiguration(options: InstallOptions): AppliedObject {
  const { namespace } = options;
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: configurationMetadata(options),
    webhooks: [namespaceWebhook(namespace), ...LOOKED.map((looked) => templateWebhook(looked, namespace))],
  };
}

/**
 * Changes to fewer replicas, whoever makes them: people, HPA and KEDA by `scale`, the Deployment controller on its
 * ReplicaSets. It is asked when all others have agreed, and fails open: scaling is never blocked.
 */
function scaleInConfiguration(options: InstallOptions): AppliedObject {
  const workloads = ['deployments', 'replicasets', 'statefulsets'];
  const { reinvocationPolicy: _, ...asked } = common(options.namespace, WEBHOOK_PATHS.scaleIn);
  const webhook = {
    ...asked,
    name: 'scale-in.springtide.io',
    failurePolicy: 'Ignore',
    sideEffects: 'NoneOnDryRun',
    timeoutSeconds: SCALE_IN_TIMEOUT_S,
    rules: [
      ruleOf(
        'apps',
        workloads.flatMap((each) => [each, `${each}/scale`]),
        ['UPDATE'],
      ),
    ],
    matchConditions: [{ name: 'fewer', expression: `${replicasOf('object')} < ${replicasOf('oldObject')}` }],
  };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: configurationMetadata(options),
    webhooks: [webhook],
  };
}

/** In CEL. A Scale leaves out a 0; a workload has its default by now. */
function replicasOf(object: string): string {
  return `(has(${object}.spec.replicas) ? ${object}.spec.replicas : 0)`;
}

function configurationMetadata({ namespace, certificates }: InstallOptions): AppliedObject['metadata'] {
  const annotations = { 'cert-manager.io/inject-ca-from': `${namespace}/${WEBHOOK}` };
  return { name: WEBHOOK, ...(certificates === 'cert-manager' ? { annotations } : {}) };
}

function namespaceWebhook(namespace: string): object {
  return {
    ...common(namespace, WEBHOOK_PATHS.pods),
    name: 'namespaces.springtide.io',
    failurePolicy: 'Ignore',
    namespaceSelector: { matchLabels: { [SCHEDULE_LABEL]: 'true' } },
    rules: [ruleOf('', ['pods'], ['CREATE'])],
  };
}

function templateWebhook({ name, group, resources, operations, podField }: Looked, namespace: string): object {
  return {
    ...common(namespace, WEBHOOK_PATHS.templates),
    name: `${name}.templates.springtide.io`,
    failurePolicy: 'Fail',
    objectSelector: { matchExpressions: [{ key: TEMPLATE_LABEL, operator: 'Exists' }] },
    rules: [ruleOf(group, resources, operations)],
    ...(podField === '' ? {} : { matchConditions: [{ name: 'pods-change', expression: changeOf(podField) }] }),
  };
}

/** In CEL. Labels may be absent: of an object that lost or got its label one side has none. */
function changeOf(podField: string): string {
  const label = (object: string): string => {
    const labels = `${object}.metadata.labels`;
    return `(has(${labels}) && '${TEMPLATE_LABEL}' in ${labels} ? ${labels}['${TEMPLATE_LABEL}'] : '')`;
  };
  const isOther = `object.${podField} != oldObject.${podField}`;
  return `request.operation == 'CREATE' || ${isOther} || ${label('object')} != ${label('oldObject')}`;
}

function common(namespace: string, path: string): Readonly<Record<string, unknown>> {
  return {
    admissionReviewVersions: ['v1'],
    clientConfig: { service: { name: WEBHOOK, namespace, path, port: SERVICE_PORT } },
    sideEffects: 'None',
    timeoutSeconds: TIMEOUT_S,
    matchPolicy: 'Equivalent',
    // Another webhook may add a container, or cards, after us.
    reinvocationPolicy: 'IfNeeded',
  };
}

function ruleOf(group: string, resources: readonly string[], operations: readonly string[]): object {
  return { apiGroups: [group], apiVersions: ['v1'], operations, resources, scope: 'Namespaced' };
}
