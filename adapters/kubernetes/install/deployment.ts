import type { AppliedObject } from '../client/apply.ts';
import {
  PART_LABELS,
  QUEUE_CONTROLLER,
  QUEUE_CONTROLLER_LABELS,
  QUEUE_CONTROLLER_PORT,
  SCHEDULER,
  SCHEDULER_LABELS,
  SCHEDULER_PORT,
  VERSION_LABEL,
  WEBHOOK,
  WEBHOOK_LABELS,
  WEBHOOK_PORT,
} from './names.ts';
import type { InstallOptions } from './options.ts';

/** One leads, or answers, and one is ready to take over. */
const REPLICAS = 2;

/** Nobody of its own in the image: any number that is not root. */
const USER = 65_532;

/** What is installed as a Deployment. */
export interface Part {
  /** Of the Deployment, its account and its disruption budget. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly container: string;
  /** The arguments of `springtide` in the container. */
  readonly args: readonly string[];
  readonly port: { readonly name: string; readonly number: number; readonly scheme: 'HTTP' | 'HTTPS' };
  readonly resources: object;
}

const SCHEDULER_PART: Part = {
  name: SCHEDULER,
  labels: SCHEDULER_LABELS,
  container: 'scheduler',
  args: ['scheduler', `--listen=0.0.0.0:${SCHEDULER_PORT}`],
  port: { name: 'http', number: SCHEDULER_PORT, scheme: 'HTTP' },
  resources: { requests: { cpu: '250m', memory: '512Mi' }, limits: { memory: '4Gi' } },
};

const QUEUE_PART: Part = {
  name: QUEUE_CONTROLLER,
  labels: QUEUE_CONTROLLER_LABELS,
  container: 'queue-controller',
  args: ['queue-controller', `--listen=0.0.0.0:${QUEUE_CONTROLLER_PORT}`],
  port: { name: 'http', number: QUEUE_CONTROLLER_PORT, scheme: 'HTTP' },
  resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '4Gi' } },
};

function webhookPart({ namespace, certificates }: InstallOptions): Part {
  const args = ['webhook', `--listen=0.0.0.0:${WEBHOOK_PORT}`, `--namespace=${namespace}`];
  return {
    name: WEBHOOK,
    labels: WEBHOOK_LABELS,
    container: 'webhook',
    args: certificates === 'cert-manager' ? [...args, '--certificates=cert-manager'] : args,
    port: { name: 'https', number: WEBHOOK_PORT, scheme: 'HTTPS' },
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '1Gi' } },
  };
}

/** Deployments and disruption budgets of all parts. */
export function partObjects(options: InstallOptions): AppliedObject[] {
  return [SCHEDULER_PART, webhookPart(options), QUEUE_PART].flatMap((part) => [
    budgetOf(part, options),
    deploymentOf(part, options),
  ]);
}

/** Two replicas on different machines, without any right on the machine they run on. */
function deploymentOf(part: Part, options: InstallOptions): AppliedObject {
  const labels = { ...PART_LABELS, ...part.labels, [VERSION_LABEL]: options.version };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: part.name, namespace: options.namespace },
    spec: {
      replicas: REPLICAS,
      selector: { matchLabels: part.labels },
      // A new replica is ready before an old one goes.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: { metadata: { labels }, spec: podSpec(part, options) },
    },
  };
}

function podSpec(part: Part, options: InstallOptions): object {
  return {
    serviceAccountName: part.name,
    priorityClassName: SCHEDULER,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 30,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    // A wish, not a condition: a cluster of one machine gets both replicas.
    affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [apart(part)] } },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: part.labels },
      },
    ],
    containers: [container(part, options)],
  };
}

function apart({ labels }: Part): object {
  const labelSelector = { matchLabels: labels };
  return { weight: 100, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector } };
}

function container({ container: name, args, port, resources }: Part, { image }: InstallOptions): object {
  const scheme = port.scheme === 'HTTP' ? {} : { scheme: port.scheme };
  const probe = (path: string, periodSeconds: number): object => {
    return { httpGet: { path, port: port.name, ...scheme }, periodSeconds, timeoutSeconds: 5, failureThreshold: 6 };
  };
  return {
    name,
    image,
    args,
    ports: [{ name: port.name, containerPort: port.number, protocol: 'TCP' }],
    livenessProbe: { ...probe('/healthz', 10), initialDelaySeconds: 10 },
    readinessProbe: probe('/readyz', 5),
    resources,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

/** Of two replicas, maintenance takes one at a time. */
function budgetOf({ name, labels }: Part, { namespace }: InstallOptions): AppliedObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  };
}

/** The scheduler is placed before, and evicted after, what it schedules. */
export function schedulerPriority(): AppliedObject {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: SCHEDULER },
    // The highest that is not kept for the system.
    value: 1_000_000_000,
    preemptionPolicy: 'PreemptLowerPriority',
    description: 'The replicas of the Springtide scheduler, which places the others.',
  };
}
