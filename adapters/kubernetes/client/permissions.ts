/** What the scheduler's service account has to be allowed: all of it is used, and nothing else is. */
export interface Permission {
  readonly apiGroup: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly why: string;
}

const READ: readonly string[] = ['list', 'watch'];

/** For the whole cluster. */
export const CLUSTER_PERMISSIONS: readonly Permission[] = [
  { apiGroup: '', resources: ['nodes'], verbs: READ, why: 'machines and their cards' },
  {
    apiGroup: '',
    resources: ['pods'],
    verbs: ['get', ...READ],
    why: 'what waits and what is held; get: after an answer that was lost',
  },
  { apiGroup: '', resources: ['pods/binding'], verbs: ['create'], why: 'placing pods' },
  { apiGroup: '', resources: ['pods/eviction'], verbs: ['create'], why: 'preemption that respects disruption budgets' },
  { apiGroup: '', resources: ['pods/status'], verbs: ['patch'], why: 'the condition PodScheduled, the nominated node' },
  {
    apiGroup: '',
    resources: ['persistentvolumeclaims'],
    verbs: [...READ, 'patch'],
    why: 'where volumes are; telling late ones where',
  },
  { apiGroup: '', resources: ['persistentvolumes'], verbs: READ, why: 'where volumes can be used' },
  { apiGroup: 'storage.k8s.io', resources: ['storageclasses'], verbs: READ, why: 'which volumes are made late' },
  { apiGroup: 'policy', resources: ['poddisruptionbudgets'], verbs: READ, why: 'whom not to evict' },
  {
    apiGroup: 'scheduling.k8s.io',
    resources: ['priorityclasses', 'podgroups'],
    verbs: READ,
    why: 'priorities; native gangs',
  },
  { apiGroup: 'scheduling.x-k8s.io', resources: ['podgroups'], verbs: READ, why: 'gangs of coscheduling' },
  { apiGroup: 'scheduling.volcano.sh', resources: ['podgroups'], verbs: READ, why: 'gangs of Volcano' },
  { apiGroup: 'batch', resources: ['jobs'], verbs: READ, why: 'indexed Jobs that are gangs' },
  { apiGroup: 'events.k8s.io', resources: ['events'], verbs: ['create', 'patch'], why: 'telling people why' },
];

/** In the namespace it runs in. */
export const OWN_NAMESPACE_PERMISSIONS: readonly Permission[] = [
  {
    apiGroup: 'coordination.k8s.io',
    resources: ['leases'],
    verbs: ['get', 'create', 'update'],
    why: 'electing a leader',
  },
];
