export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';

/** Where a control plane differs from an ordinary one. */
export interface ControlPlaneOptions {
  /** For every part, such as `{ GenericWorkload: true }`. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** API groups and versions, such as `{ 'scheduling.k8s.io/v1beta1': true }`. */
  readonly runtimeConfig?: Readonly<Record<string, boolean>>;
  /** How much of each request the audit log keeps; `Metadata` where nothing is said. */
  readonly auditLevel?: AuditLevel;
  /** What kube-controller-manager runs; `['*', '-garbage-collector-controller']` leaves one out. */
  readonly controllers?: readonly string[];
  /** Further flags of a part, which win over ours. */
  readonly flags?: {
    readonly etcd?: readonly string[];
    readonly apiServer?: readonly string[];
    readonly controllerManager?: readonly string[];
  };
  /** Keeps logs and data when it stops. */
  readonly isFolderKept?: boolean;
  /** Told what takes long, such as a build; nothing is said otherwise. */
  readonly onProgress?: (line: string) => void;
}

export interface KubeSchedulerOptions {
  /** The `schedulerName` of the pods it takes. */
  readonly name?: string;
  /** Requests a second to the API server. Its own default of 50 would make any comparison one of rate limits. */
  readonly qps?: number;
  readonly burst?: number;
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Further fields of its profile, such as `pluginConfig` or `percentageOfNodesToScore`. */
  readonly profile?: Readonly<Record<string, unknown>>;
  /** Programs that it asks over HTTP before it decides, as its configuration names them. */
  readonly extenders?: readonly object[];
}

export interface RestartOptions {
  /** SIGKILL for a crash. */
  readonly signal?: 'SIGTERM' | 'SIGKILL';
  /** How long nobody answers. */
  readonly downMs?: number;
}
