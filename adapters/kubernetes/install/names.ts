/** What is in a cluster because of Springtide carries these labels, and nothing else does. */
export const PART_LABELS = {
  'app.kubernetes.io/managed-by': 'springtide',
  'app.kubernetes.io/part-of': 'springtide',
} as const;

export const PART_SELECTOR = Object.entries(PART_LABELS)
  .map(([key, value]) => `${key}=${value}`)
  .join(',');

/** The same, and what a package manager such as Helm, which writes its own name there, has made of our manifests. */
export const PART_OF_SELECTOR = 'app.kubernetes.io/part-of=springtide';
export const MANAGER_LABEL = 'app.kubernetes.io/managed-by';

/** Tells which release an object is of. */
export const VERSION_LABEL = 'app.kubernetes.io/version';

/** The one field manager by which objects are applied. */
export const FIELD_MANAGER = 'springtide';

/** The scheduler's Deployment, account, roles and the rest. */
export const SCHEDULER = 'springtide-scheduler';
export const SCHEDULER_LABELS = { 'app.kubernetes.io/name': SCHEDULER } as const;

/** The webhook's Deployment, Service, account, roles, configuration and the rest. */
export const WEBHOOK = 'springtide-webhook';
export const WEBHOOK_LABELS = { 'app.kubernetes.io/name': WEBHOOK } as const;

/** The Secret with the certificate that the webhook serves with. */
export const WEBHOOK_SECRET = 'springtide-webhook-tls';

/** Port of the webhook, its health checks and metrics. */
export const WEBHOOK_PORT = 10271;

/** Paths of the webhook, as its configuration names them. */
export const WEBHOOK_PATHS = {
  pods: '/admit/pods',
  templates: '/admit/templates',
  scaleIn: '/admit/scale-in',
} as const;

/** The name by which API servers call the webhook. */
export function webhookHost(namespace: string): string {
  return `${WEBHOOK}.${namespace}.svc`;
}

/** The queue controller's Deployment, account, roles and the rest. */
export const QUEUE_CONTROLLER = 'springtide-queue-controller';
export const QUEUE_CONTROLLER_LABELS = { 'app.kubernetes.io/name': QUEUE_CONTROLLER } as const;

/** Port of its health checks. */
export const QUEUE_CONTROLLER_PORT = 10272;

/** What pods put into `spec.schedulerName`. */
export const SCHEDULER_NAME = 'springtide';

/** Port of health checks, metrics and state. */
export const SCHEDULER_PORT = 10270;

export const DEFAULT_NAMESPACE = 'springtide-system';

/**
 * Where the lease is, wherever the scheduler runs: one that is started by hand beside an installed one waits for it,
 * and does not give out the same cards.
 */
export const LEASE_NAMESPACE = 'kube-system';

/** The lease by which the replicas of a scheduler elect their leader. */
export function leaseNameOf(schedulerName: string): string {
  return `${SCHEDULER}-${schedulerName}`;
}
