import type { AppliedObject } from '../client/apply.ts';
import { PART_LABELS, SCHEDULER, SCHEDULER_LABELS, SCHEDULER_PORT, VERSION_LABEL } from './names.ts';
import type { InstallOptions } from './options.ts';

/** One leads, one is ready to take over. */
const REPLICAS = 2;

/** Nobody of its own in the image: any number that is not root. */
const USER = 65_532;

/** The arguments of `springtide` in the container. */
const ARGUMENTS = ['scheduler', `--listen=0.0.0.0:${SCHEDULER_PORT}`];

/** Two replicas on different machines, without any right on the machine they run on. */
export function schedulerDeployment(options: InstallOptions): AppliedObject {
  const labels = { ...PART_LABELS, ...SCHEDULER_LABELS, [VERSION_LABEL]: options.version };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: SCHEDULER, namespace: options.namespace },
    spec: {
      replicas: REPLICAS,
      selector: { matchLabels: SCHEDULER_LABELS },
      // A new replica is ready before an old one goes.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: { metadata: { labels }, spec: podSpec(options) },
    },
  };
}

function podSpec(options: InstallOptions): object {
  return {
    serviceAccountName: SCHEDULER,
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
    affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [apart(100)] } },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: SCHEDULER_LABELS },
      },
    ],
    containers: [container(options)],
  };
}

function apart(weight: number): object {
  const labelSelector = { matchLabels: SCHEDULER_LABELS };
  return { weight, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector } };
}

function container({ image }: InstallOptions): object {
  const probe = (path: string, periodSeconds: number): object => {
    return { httpGet: { path, port: 'http' }, periodSeconds, timeoutSeconds: 5, failureThreshold: 6 };
  };
  return {
    name: 'scheduler',
    image,
    args: ARGUMENTS,
    ports: [{ name: 'http', containerPort: SCHEDULER_PORT, protocol: 'TCP' }],
    livenessProbe: { ...probe('/healthz', 10), initialDelaySeconds: 10 },
    readinessProbe: probe('/readyz', 5),
    resources: { requests: { cpu: '250m', memory: '512Mi' }, limits: { memory: '4Gi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

/** Of two replicas, maintenance takes one at a time. */
export function schedulerBudget(namespace: string): AppliedObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: SCHEDULER, namespace },
    spec: { maxUnavailable: 1, selector: { matchLabels: SCHEDULER_LABELS } },
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
