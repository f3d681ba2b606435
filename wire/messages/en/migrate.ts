/** `springtide migrate kueue`. */
export const migrate = {
  none: '{where}: there is nothing of Kueue’s',
  total: '{objects} {objects:object|objects} written; {losses} {losses:point is|points are} not as in Kueue.',
  /** What is not carried over, or not as it was. */
  lost: {
    'admission-check': 'admission checks are not carried over: nothing is asked before admission but quota and a place',
    'counted-twice':
      'not carried over: another resource of this flavor is counted as the same here (cards of all vendors are cards); make a flavor for each',
    drain: 'stopped as by Hold: nothing new is admitted, and what runs goes on; suspend it by hand',
    'flavor-order': 'not carried over: flavors are tried in their order, and the first that fits is taken',
    kind: 'objects of this kind are not carried over',
    'local-fair-sharing': 'shares between LocalQueues are not carried over: they are names for one queue here',
    'local-stop': 'it is stopped, so no name is made for it: work that names it belongs to no queue',
    'no-cluster-queue': 'it leads to a ClusterQueue that is not there: no name is made for it',
    'no-namespace':
      'in Kueue a ClusterQueue without a selector takes work of no namespace; here it takes that of its LocalQueues',
    pods: 'the number of pods is not counted: use ResourceQuota, or what the pods ask for',
    priority: 'a PriorityClass goes up to 1000000000: it gets that',
    selector: 'namespaces that it selects may name the queue itself, too; in Kueue they need a LocalQueue for it',
    topology: 'topology is read from the labels of nodes (see --rack-label), not from Topology objects',
    tree: 'no quota tree can be made of this: it has to be mended first',
    'unknown-field': 'not carried over: this field is not known here',
    weight: 'a weight goes up to 2147483: it gets that',
  },
} as const;
