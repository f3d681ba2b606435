import { type InstallOptions, manifestsOf, yamlOf } from '@springtide/adapters/kubernetes/install';
import { stringify } from 'yaml';

/**
 * The part of the Helm chart that is made from the manifests of `springtide install`, so that there is one source of
 * both. What differs from cluster to cluster is a mark in the manifests and an expression of Helm's in the chart.
 */

type Manifest = ReturnType<typeof manifestsOf>[number];

/** The values of `deploy/chart/values.yaml` that switch modules, as conditions of Helm's. */
const SCHEDULER = '.Values.scheduler.enabled';
const NAMESPACES = '.Values.namespaces.enabled';
const TEMPLATES = '.Values.templates.enabled';
const SCALE_IN = '.Values.scaleIn.enabled';
const WEBHOOK = `or ${NAMESPACES} ${TEMPLATES} ${SCALE_IN}`;
const QUEUES = '.Values.queues.enabled';
const ANY = `or ${SCHEDULER} ${NAMESPACES} ${TEMPLATES} ${SCALE_IN} ${QUEUES}`;
const CERT_MANAGER = 'eq .Values.webhook.certificates "cert-manager"';
const OWN = 'eq .Values.webhook.certificates "own"';

/** Stand for values until the text is written; in capitals, as nothing in a manifest is. */
const NAMESPACE = 'RELEASE-NAMESPACE';
const IMAGE = 'VALUES-IMAGE';
const VERSION = 'CHART-APP-VERSION';
const RESOURCES = 'VALUES-RESOURCES-OF';

const EXPRESSIONS: readonly (readonly [RegExp, string])[] = [
  // Where it is all of a value: a namespace may be a number, and that would not be text.
  [new RegExp(`: ${NAMESPACE}$`, 'gm'), ': {{ .Release.Namespace | quote }}'],
  [new RegExp(NAMESPACE, 'g'), '{{ .Release.Namespace }}'],
  [new RegExp(IMAGE, 'g'), '{{ include "springtide.image" . | quote }}'],
  [new RegExp(VERSION, 'g'), '{{ .Chart.AppVersion | quote }}'],
  [new RegExp(`${RESOURCES}-springtide-queue-controller`, 'g'), '{{ toJson .Values.queues.resources }}'],
  [new RegExp(`${RESOURCES}-springtide-(\\w+)`, 'g'), '{{ toJson .Values.$1.resources }}'],
  // Helm writes its own name there whatever the chart says.
  [/managed-by: springtide$/gm, 'managed-by: {{ .Release.Service }}'],
];

/** Where a manifest stands in the chart, and on what condition. */
interface Place {
  readonly file: string;
  readonly condition: string;
}

/** Throws for an object of which it is not known to which module it belongs. */
function placeOf({ kind, metadata: { name } }: Manifest): Place {
  if (kind === 'PriorityClass') return { file: 'priority', condition: ANY };
  if (kind === 'CardTemplate')
    return { file: 'card-templates', condition: `and ${TEMPLATES} .Values.templates.starterSet` };
  if (kind === 'MutatingWebhookConfiguration') return { file: 'webhook', condition: `or ${NAMESPACES} ${TEMPLATES}` };
  if (kind === 'ValidatingWebhookConfiguration') return { file: 'webhook', condition: SCALE_IN };
  if (name.startsWith('springtide-webhook')) return { file: 'webhook', condition: WEBHOOK };
  if (name.startsWith('springtide-queue-controller')) return { file: 'queue-controller', condition: QUEUES };
  if (name.startsWith('springtide-scheduler')) return { file: 'scheduler', condition: SCHEDULER };
  throw new Error(`deploy/generate/chart.ts does not know to which module ${kind} ${name} belongs`);
}

/** The condition of one webhook of a configuration: its name ends in that of its module. */
function conditionOf(webhook: string): string {
  if (webhook.endsWith('namespaces.springtide.io')) return NAMESPACES;
  if (webhook.endsWith('.templates.springtide.io')) return TEMPLATES;
  if (webhook.endsWith('scale-in.springtide.io')) return SCALE_IN;
  throw new Error(`deploy/generate/chart.ts does not know to which module the webhook ${webhook} belongs`);
}

/** The files of the chart that are generated, by their path in it. `version`: of this release. */
export function chartFiles(version: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const object of manifestsOf({ namespace: NAMESPACE, image: IMAGE, version })) {
    if (object.kind === 'CustomResourceDefinition') files.set(`crds/${object.metadata.name}.yaml`, crdText(object));
  }
  const [own, certManager] = [templatesOf('own'), templatesOf('cert-manager')];
  for (const id of new Set([...own.keys(), ...certManager.keys()])) {
    const { file, text } = mergedTemplate(own.get(id), certManager.get(id));
    const path = `templates/${file}.yaml`;
    files.set(path, (files.get(path) ?? GENERATED) + text);
  }
  return files;
}

const GENERATED =
  '{{- /* Made by `npm run chart` from the manifests of `springtide install`: not edited by hand. */ -}}\n';

/** Helm applies them as they are, before all else, and never changes or removes them. */
function crdText(object: Manifest): string {
  return yamlOf([object]).replaceAll('managed-by: springtide', 'managed-by: Helm');
}

interface Template extends Place {
  /** Without its condition, and with marks. */
  readonly text: string;
}

/** By kind and name. Helm makes the namespace, or uses one that is there. */
function templatesOf(certificates: Required<InstallOptions>['certificates']): Map<string, Template> {
  const objects = manifestsOf({ namespace: NAMESPACE, image: IMAGE, version: VERSION, certificates });
  const wanted = objects.filter(({ kind }) => kind !== 'Namespace' && kind !== 'CustomResourceDefinition');
  return new Map(
    wanted.map((object) => [
      `${object.kind} ${object.metadata.name} ${String(object.metadata['namespace'])}`,
      { ...placeOf(object), text: textOf(object) },
    ]),
  );
}

function textOf(object: Manifest): string {
  if (object.kind === 'Deployment') return yamlText(withResourcesMarked(object));
  const webhooks = object['webhooks'] as readonly { readonly name: string }[] | undefined;
  if (webhooks === undefined) return yamlText(object);
  const { webhooks: _, ...head } = object;
  const each = webhooks.map((webhook) => {
    const [, ...lines] = yamlText({ webhooks: [webhook] }).split('\n');
    return when(conditionOf(webhook.name), lines.join('\n'));
  });
  return `${yamlText(head)}webhooks:\n${each.join('')}`;
}

function yamlText(value: object): string {
  const text = stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
  if (text.includes('{{')) throw new Error('a manifest has {{ in it, which Helm would take for its own');
  return text;
}

function withResourcesMarked(deployment: Manifest): object {
  const mark = `${RESOURCES}-${deployment.metadata.name}`;
  return JSON.parse(
    JSON.stringify(deployment, (key, value: unknown) => (key === 'resources' ? mark : value)),
  ) as object;
}

function when(condition: string, text: string): string {
  return `{{- if ${condition} }}\n${text}{{- end }}\n`;
}

/** An object of both kinds of certificates is written once, with the lines that only one has on their condition. */
function mergedTemplate(own?: Template, certManager?: Template): { readonly file: string; readonly text: string } {
  const template = own ?? certManager;
  if (template === undefined) throw new Error('a template of neither kind of certificates');
  const { file, condition } = template;
  const both = own !== undefined && certManager !== undefined;
  const text = both ? withAddedLines(own.text, certManager.text) : template.text;
  const whole = both ? condition : `and (${condition}) (${own === undefined ? CERT_MANAGER : OWN})`;
  let written = when(whole, `---\n${text}`);
  for (const [mark, expression] of EXPRESSIONS) written = written.replace(mark, expression);
  return { file, text: written };
}

/** `longer` has all lines of `text`, in order; those that it has besides are on the condition. */
function withAddedLines(text: string, longer: string): string {
  const lines = text.split('\n');
  const merged: string[] = [];
  let added: string[] = [];
  let next = 0;
  for (const line of longer.split('\n')) {
    if (line !== lines[next]) {
      added.push(line);
      continue;
    }
    if (added.length > 0) merged.push(`{{- if ${CERT_MANAGER} }}`, ...added, '{{- end }}');
    added = [];
    merged.push(line);
    next += 1;
  }
  if (next < lines.length)
    throw new Error(`with cert-manager a manifest has other lines, not only more: ${lines[next]}`);
  return merged.join('\n');
}
