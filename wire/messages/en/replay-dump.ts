/** `springtide replay-dump`. */
export const replayDump = {
  head: 'Scheduler {name}, written by springtide {program} at {time}: {machines} {machines:machine|machines}, {pods} {pods:pod|pods}.',
  step: 'step {number} at {seconds} s, {events} {events:event|events}',
  bind: 'bind {pod} to {machine}',
  bindCards: 'bind {pod} to {machine}: {cards}',
  confirm: 'look up whether {pod} was bound to {machine}',
  evict: 'evict {pod} for {by} ({reason})',
  nominate: 'make room for {pod} on {machine}',
  freeClaims: 'free the resource claims of {pod}: {claims}',
  report: '{pod} waits ({reason})',
  recorded: 'recorded instead:',
  nothing: 'nothing',
  quiet: 'Steps in which nothing was decided: {count}.',
  same: 'Decided again: {count} {count:step|steps}, all as recorded.',
  different: 'Decided otherwise than recorded: {different} of {count} {count:step|steps}, first step {first}.',
} as const;
