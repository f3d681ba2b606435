import type { SchedulerCommand } from '@springtide/core/scheduler';
import type { Dump, ReplayedStep } from '@springtide/services/scheduler';
import type { Outcome } from './outcome.ts';

/** One line a step; `recorded` only where it differs. */
export function stepJson({ number, nowMs, events, decided, recorded, isSame }: ReplayedStep): string {
  const step = { step: number, nowMs, events: events.length, isSame, decided: decided.map(brief) };
  return JSON.stringify(isSame ? step : { ...step, recorded: recorded.map(brief) });
}

/** A report's explanation is left out: it is as long as everything else together. */
function brief(command: SchedulerCommand): object {
  if (command.kind !== 'report') return command;
  const { uid, pod, reason, gang, explanation } = command.report;
  const refusals = (explanation ?? gang?.refusal)?.refusals ?? [];
  if (gang === null) return { kind: 'report', uid, pod, reason, refusals };
  const { id, members, membersWanted } = gang;
  const wanted = Number.isFinite(membersWanted) ? membersWanted : null;
  return { kind: 'report', uid, pod, reason, refusals, gang: { id, members, membersWanted: wanted } };
}

export function dumpJson({ head, recording }: Dump, { steps, different, first, quiet }: Outcome): string {
  const { program, schedulerName, madeAtMs } = head;
  const { machines, pods } = recording.snapshot;
  const counts = { machines: machines.length, pods: pods.length, steps, quiet, different, firstDifferent: first };
  return JSON.stringify({ program, schedulerName, madeAtMs, ...counts });
}
