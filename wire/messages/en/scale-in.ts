/** `springtide scale-in`, and what the webhook says when a workload shrinks. */
export const scaleIn = {
  bad: {
    target: '{text}: expected deploy/NAME, rs/NAME or sts/NAME, or with a namespace deploy/NAMESPACE/NAME (or -n)',
    to: '--to {text}: expected a whole number from 0 to {max}',
    noTo: 'missing option: --to COUNT, the replicas that stay',
    dryRun:
      'only --dry-run is there: kubectl scale does it, and where the webhook is installed the replicas shown here go',
    unknown: 'no pod of {kind} {workload} runs or waits',
    near: 'no pod of {kind} {workload} runs or waits; there are {known}',
  },
  head: '{workload} ({kind}) from {from} to {to} replicas: {count} {count:leaves|leave}.',
  nothing: '{workload} ({kind}) has {from} {from:replica|replicas}: nothing has to leave for {to}.',
  ordinal:
    '{workload} is a StatefulSet: Kubernetes removes its pods by ordinal, the highest first. Nothing can be chosen.',
  rollout:
    '{workload} is being rolled out: {replicaSets} have pods. Which of them shrinks, and by how many, is decided by the Deployment controller; the webhook chooses when it does.',
  column: { pod: 'Pod', machine: 'Machine', cards: 'Cards', why: 'Why' },
  why: {
    unready: 'not ready: Kubernetes removes it first',
    cost: 'lower deletion cost, set by others',
    chosen: 'chosen',
    default: "Kubernetes' own order",
  },
  waits: '(waits)',
  frees: 'It frees {cards} whole {cards:card|cards} and {machines} {machines:machine|machines}.',
  freesNamed: 'It frees {cards} whole {cards:card|cards} and {machines} {machines:machine|machines}: {names}.',
  usual: "Kubernetes' own order would free {cards} {cards:card|cards} and {machines} {machines:machine|machines}.",
  /** Warnings of the webhook, in both languages at once: 256 characters are shown. */
  webhook: {
    ordinal: '{workload} is a StatefulSet: its pods go by ordinal, none can be chosen to free cards',
    shown: '{pods} would leave: {cards} {cards:card|cards} and {machines} {machines:machine|machines} free',
    shownMore:
      '{pods} and {more} more would leave: {cards} {cards:card|cards} and {machines} {machines:machine|machines} free',
    /** Why Kubernetes' own order decides. */
    default: {
      notSynced: "the cluster is not known yet: Kubernetes' own order decides who leaves",
      tooMany: "the workload is too large: Kubernetes' own order decides who leaves",
      unreadable: "its pods could not be read: Kubernetes' own order decides who leaves",
      unwritten: "not all pods could be marked: Kubernetes' own order decides who leaves",
      late: "there was no time to mark all pods: Kubernetes' own order decides who leaves",
    },
  },
} as const;
