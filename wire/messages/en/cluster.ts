/** What every command says that reads a cluster. */
export const cluster = {
  bad: {
    policy: 'unknown placement policy {name}; there are {known}',
    bothStdin: 'only one of the dump and the request can be standard input (-)',
    both: 'a dump and --kubeconfig or --context: only one cluster can be read',
    nowhere: '{why} (which cluster: --kubeconfig, --context)',
    live: 'cannot read the cluster {server}: {why}',
    write: 'cannot write {file}: {why}',
  },
  /** What a pod asks for. */
  request: {
    cards: '{count} × {resource}',
    cardsOfModel: '{count} × {resource} ({models})',
    ofEach: '{cards}, of each {parts}',
    mib: '{amount}',
    memoryShare: '{percent} of its memory',
    compute: '{percent} of its compute',
    shared: 'yielding to others',
    instance: 'an instance {name}',
    cpu: '{amount} CPU {amount:core|cores}',
    memory: '{amount} memory',
    other: '{amount} {resource}',
    nothing: 'nothing',
  },
} as const;
