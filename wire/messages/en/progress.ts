/** Of running jobs: what their heartbeats are answered, what is wrong with them, what becomes of them. */
export const progress = {
  refused: {
    field: '{path}: expected {expected}, found {found}',
    json: 'expected an object in JSON',
    unauthenticated:
      'no token, or none that the cluster knows: send that of the pod itself, for the audience {audience}, as a bearer token',
    noPod: 'the token is of {who}, not of a pod: send the one that is projected into the pod itself',
    podGone: 'pod {pod} is not there any more, or was made anew since: its heartbeats are not heard',
    otherJob: 'job: "{job}", but the token is of a pod of "{own}"',
    unavailable: 'the API server could not be asked or written to: {why}. Send it again',
    busy: 'too many tokens are being looked at: send it again',
    stale:
      'this is incarnation {incarnation}, and {live} is the one that lives: stop, and write no checkpoint any more',
    notItsOwn:
      'incarnation: {incarnation}, but the pod was started as {started} (annotation springtide.io/incarnation)',
    tooOften: 'too many reports: the next is taken in {wait}; one a second is enough',
    fullJobs: '{most} jobs report already, which is the most',
    fullPods: '{most} pods of this job report already, which is the most: let one report for all',
  },
  /** Lines about jobs. */
  news: {
    line: '{job} (start {incarnation}): {what}',
    checkpoint: 'it can go on from step {step} ({uri})',
    noCheckpoint: 'no checkpoint is whole any more',
    recovered: 'it goes on, after {after}',
  },
  phase: { start: 'start', train: 'training', evaluate: 'evaluation', save: 'save', done: 'end' },
  trouble: {
    stalled: 'its heart beats, but since step {step} nothing was done for {allowed} ({phase})',
    silent: 'its heart has stood still since step {step} ({phase})',
    failed: 'it ended with {what}',
    code: 'exit code {code}',
    codeReason: '{reason}, exit code {code}',
  },
  decided: {
    restart: '{trouble}. It starts again in {wait}, from {from}{avoid}',
    checkpoint: 'the checkpoint of step {step} ({uri})',
    beginning: 'the beginning, for there is no checkpoint that is whole',
    avoid: ', not on {machines}',
    giveUp: '{trouble}. It is not started again: {why}',
    noProgress: 'it came no further {fruitless} times. Look at its log; submit it again when it is mended',
    tooMany: 'it was started again as often as a job may be. Submit it again if that is right',
  },
  /** What would have to change, where a retry mends nothing. */
  mend: {
    image: 'no registry gives this image. Correct its name, or add the pull secret',
    config: 'a ConfigMap or Secret that the pod names is missing. Create it, or correct the name',
    memory: 'it reached its memory limit without a step that was new. Raise the limit, or load less at once',
    time: 'it reached its own activeDeadlineSeconds. Raise that',
    command: 'its command or arguments are wrong. Correct them',
    program: 'it broke in the same way on two machines. Correct the program, or build it for these machines',
  },
} as const;
