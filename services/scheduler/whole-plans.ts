import type { SchedulerCommand } from '@springtide/core/scheduler';

type Eviction = SchedulerCommand & { kind: 'evict' };

/**
 * Leaves out evictions of preemptors for whom not all victims may go: a budget that lets one pod go and not the
 * other would make the one leave in vain (I10). Their preemptors plan anew when their nomination is over.
 */
export function withoutBrokenPlans(
  commands: readonly SchedulerCommand[],
  mayAllLeave: (uids: readonly string[]) => boolean,
): readonly SchedulerCommand[] {
  const plans = Map.groupBy(commands.filter(isPreemption), ({ by }) => by);
  const broken = new Set<string>();
  for (const [by, evictions] of plans) {
    if (evictions.length > 1 && !mayAllLeave(evictions.map(({ uid }) => uid))) broken.add(by);
  }
  return broken.size === 0 ? commands : commands.filter((each) => !(isPreemption(each) && broken.has(each.by)));
}

function isPreemption(command: SchedulerCommand): command is Eviction {
  return command.kind === 'evict' && command.reason === 'preempted';
}
