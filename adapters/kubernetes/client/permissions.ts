/** What the scheduler's service account has to be allowed: all of it is used, and nothing else is. */
export interface Permission {
  readonly apiGroup: string;
  readonly resources: readonly string[];
  /** Only objects of these names; absent: all of them. */
  readonly names?: readonly string[];
  readonly verbs: readonly string[];
  readonly why: string;
  /** Asked for only where the cluster serves the group. */
  readonly isOptional: boolean;
}

const READ: readonly string[] = ['list', 'watch'];

function always(apiGroup: string, resource: string, verbs: readonly string[], why: string): Permission {
  return { apiGroup, resources: [resource], verbs, why, isOptional: false };
}

function whereServed(
  apiGroup: string,
  resources: readonly string[],
  why: string,
  verbs: readonly string[] = READ,
): Permission {
  return { apiGroup, resources, verbs, why, isOptional: true };
}

const KUBEFLOW_JOBS = ['pytorchjobs', 'tfjobs', 'mpijobs', 'xgboostjobs', 'paddlejobs', 'jaxjobs'];

/** For the whole cluster. */
export const CLUSTER_PERMISSIONS: readonly Permission[] = [
  always('', 'nodes', [...READ, 'patch'], "machines and their cards; the lock that HAMi's device plug-ins look for"),
  always('', 'pods', ['get', ...READ], 'what waits and what is held; get: after an answer that was lost'),
  always('', 'pods/binding', ['create'], 'placing pods'),
  always('', 'pods/eviction', ['create'], 'preemption that respects disruption budgets'),
  always('', 'pods/status', ['patch'], 'the condition PodScheduled, the nominated node'),
  always('', 'persistentvolumeclaims', [...READ, 'patch'], 'where volumes are; telling late ones where'),
  always('', 'persistentvolumes', [...READ, 'patch'], 'where volumes can be used; keeping a free one for a claim'),
  always('', 'namespaces', READ, 'labels of namespaces, which affinities choose by'),
  always('', 'resourcequotas', READ, 'what the pods of a namespace may hold of cards together (limits.*)'),
  always('storage.k8s.io', 'storageclasses', READ, 'which volumes are made late'),
  always('policy', 'poddisruptionbudgets', READ, 'whom not to evict'),
  always('scheduling.k8s.io', 'priorityclasses', READ, 'priorities'),
  always('batch', 'jobs', READ, 'indexed Jobs that are gangs'),
  always('resource.k8s.io', 'resourceslices', READ, 'devices (DRA)'),
  always('resource.k8s.io', 'deviceclasses', READ, 'which devices a claim may have'),
  always('resource.k8s.io', 'devicetaintrules', READ, 'devices that are set apart'),
  always('resource.k8s.io', 'resourceclaims', [...READ, 'patch'], 'claims for devices; keeping those that have some'),
  always('resource.k8s.io', 'resourceclaims/status', ['patch'], 'giving claims their devices'),
  // Since Kubernetes 1.36 who writes allocations has to be allowed this, a subresource in name only.
  always('resource.k8s.io', 'resourceclaims/binding', ['patch'], 'giving claims their devices'),
  always('events.k8s.io', 'events', ['create', 'patch'], 'telling people why'),
  always('authentication.k8s.io', 'tokenreviews', ['create'], 'who asks for metrics or the state'),
  always('authorization.k8s.io', 'subjectaccessreviews', ['create'], 'whether he may have them'),
  always('springtide.io', 'pools', READ, 'isolated pools'),
  always('springtide.io', 'pools/status', ['patch'], 'how many machines a pool has'),
  whereServed('scheduling.k8s.io', ['podgroups'], 'native gangs'),
  whereServed('scheduling.x-k8s.io', ['podgroups'], 'gangs of coscheduling'),
  whereServed('scheduling.volcano.sh', ['podgroups'], 'gangs of Volcano'),
  whereServed('jobset.x-k8s.io', ['jobsets'], 'JobSets as gangs'),
  whereServed('leaderworkerset.x-k8s.io', ['leaderworkersets'], 'replicas of LeaderWorkerSets as gangs'),
  whereServed('kubeflow.org', KUBEFLOW_JOBS, 'Kubeflow jobs as gangs'),
];

/** What the queue controller's service account has to be allowed, for the whole cluster. */
export const QUEUE_PERMISSIONS: readonly Permission[] = [
  always('', 'nodes', READ, 'what there is to be admitted to'),
  always('', 'pods', [...READ, 'patch', 'delete'], 'what is held; opening gates; groups of pods that have to leave'),
  always('', 'namespaces', READ, 'which queues the work of a namespace may use'),
  always('scheduling.k8s.io', 'priorityclasses', READ, 'priorities'),
  always('batch', 'jobs', [...READ, 'patch'], 'Jobs that are queued; starting and suspending them'),
  always(
    'batch',
    'jobs/status',
    ['patch'],
    'the start time of a suspended Job, which keeps its template from changing',
  ),
  always('springtide.io', 'flavors', READ, 'kinds of capacity'),
  always('springtide.io', 'cohorts', READ, 'who lends to whom'),
  always('springtide.io', 'queues', READ, 'queues and their quotas'),
  always('springtide.io', 'queues/status', ['patch'], 'what is wrong with a queue'),
  always('springtide.io', 'workloads', [...READ, 'create', 'delete'], 'what is kept with a job'),
  always('springtide.io', 'workloads/status', ['patch'], 'what was decided, and why it waits'),
  always('authentication.k8s.io', 'tokenreviews', ['create'], 'who asks for metrics'),
  always('authorization.k8s.io', 'subjectaccessreviews', ['create'], 'whether he may have them'),
  whereServed('jobset.x-k8s.io', ['jobsets'], 'JobSets that are queued', [...READ, 'patch']),
  whereServed('kubeflow.org', KUBEFLOW_JOBS, 'Kubeflow jobs that are queued', [...READ, 'patch']),
  whereServed('kueue.x-k8s.io', ['localqueues'], 'what is Kueue’s to admit'),
];

/** In the namespace of the lease: others elect their leaders there too, whose leases are none of ours. */
export function leasePermissions(lease: string): readonly Permission[] {
  const why = 'electing a leader';
  return [
    // Nobody can be allowed to create by name.
    always('coordination.k8s.io', 'leases', ['create'], why),
    { ...always('coordination.k8s.io', 'leases', ['get', 'update'], why), names: [lease] },
  ];
}

/** What the webhook's service account has to be allowed, for the whole cluster. `configuration`: the one of its own. */
export function webhookPermissions(configuration: string): readonly Permission[] {
  return [
    always('', 'nodes', READ, 'which cards there are'),
    always('', 'pods', [...READ, 'patch'], 'what is held; the deletion cost of those that are to leave'),
    always('policy', 'poddisruptionbudgets', READ, 'which pods should rather stay'),
    always('apps', 'deployments', ['get'], 'which ReplicaSet gets fewer replicas'),
    always('apps', 'replicasets', ['get', 'list'], 'whose pods are to leave'),
    always('springtide.io', 'cardtemplates', ['get', ...READ], 'card templates; get: one that has just been made'),
    always('authentication.k8s.io', 'tokenreviews', ['create'], 'who asks for metrics'),
    always('authorization.k8s.io', 'subjectaccessreviews', ['create'], 'whether he may have them'),
    ofConfiguration('mutatingwebhookconfigurations', configuration),
    ofConfiguration('validatingwebhookconfigurations', configuration),
  ];
}

function ofConfiguration(resource: string, name: string): Permission {
  return { ...always('admissionregistration.k8s.io', resource, ['get', 'patch'], 'its own authority'), names: [name] };
}

/** And in its own namespace. `secret`: where its certificate is kept. */
export function webhookSecretPermissions(secret: string): readonly Permission[] {
  return [{ ...always('', 'secrets', ['get', 'update'], 'its own certificate'), names: [secret] }];
}

/** What the account that takes heartbeats has to be allowed, for the whole cluster. */
export function progressPermissions(): readonly Permission[] {
  const why = 'what is kept of the progress of jobs';
  const kubeflow = ['pytorchjobs', 'tfjobs', 'mpijobs', 'xgboostjobs', 'paddlejobs', 'jaxjobs'];
  return [
    always('authentication.k8s.io', 'tokenreviews', ['create'], 'whose pod a token is; who asks for metrics'),
    always('authorization.k8s.io', 'subjectaccessreviews', ['create'], 'whether he may have them'),
    always(
      '',
      'pods',
      ['get', 'patch'],
      'whose job a pod is, and whether it runs; progress of those that nobody keeps',
    ),
    always('batch', 'jobs', ['get', 'patch'], why),
    { ...whereServed('jobset.x-k8s.io', ['jobsets'], why), verbs: ['get', 'patch'] },
    { ...whereServed('kubeflow.org', kubeflow, why), verbs: ['get', 'patch'] },
    whereServed('springtide.io', ['workloads'], 'which jobs have to leave, and are asked for a checkpoint'),
  ];
}

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export function rulesOf(permissions: readonly Permission[]): PolicyRule[] {
  return permissions.map(({ apiGroup, resources, names, verbs }) => ({
    apiGroups: [apiGroup],
    resources,
    ...(names === undefined ? {} : { resourceNames: names }),
    verbs,
  }));
}
