import type { SchedulerCommand } from '@springtide/core/scheduler';
import type { Dump, ReplayedStep } from '@springtide/services/scheduler';
import { type Language, message } from '@springtide/wire/messages';
import type { Outcome } from './outcome.ts';

export function headLine({ head, recording }: Dump, language: Language): string {
  const { program, schedulerName: name, madeAtMs } = head;
  const { machines, pods } = recording.snapshot;
  const time = new Date(madeAtMs).toISOString();
  return message(language, 'replayDump.head', { name, program, time, machines: machines.length, pods: pods.length });
}

/** A step in which something was decided, or should have been. `sinceMs` is the time of the first step. */
export function stepLines(step: ReplayedStep, sinceMs: number, language: Language): string[] {
  const { number, nowMs, events, decided, recorded, isSame } = step;
  const seconds = ((nowMs - sinceMs) / 1000).toFixed(3);
  const lines = [message(language, 'replayDump.step', { number, seconds, events: events.length })];
  lines.push(...commandLines(decided, language));
  if (!isSame) lines.push(`  ${message(language, 'replayDump.recorded')}`, ...commandLines(recorded, language));
  return lines;
}

function commandLines(commands: readonly SchedulerCommand[], language: Language): string[] {
  if (commands.length === 0) return [`    ${message(language, 'replayDump.nothing')}`];
  return commands.map((command) => `    ${commandText(command, language)}`);
}

function commandText(command: SchedulerCommand, language: Language): string {
  switch (command.kind) {
    case 'bind': {
      const { pod, machine, slices } = command;
      if (slices.length === 0) return message(language, 'replayDump.bind', { pod, machine });
      return message(language, 'replayDump.bindCards', {
        pod,
        machine,
        cards: slices.map(({ cardId }) => cardId).join(', '),
      });
    }
    case 'confirm':
      return message(language, 'replayDump.confirm', command);
    case 'evict':
      return message(language, 'replayDump.evict', command);
    case 'nominate':
      return message(language, 'replayDump.nominate', command);
    case 'free-claims':
      return message(language, 'replayDump.freeClaims', { pod: command.pod, claims: command.claims.join(', ') });
    case 'report':
      return message(language, 'replayDump.report', command.report);
  }
}

export function outcomeLines({ steps, different, first, quiet }: Outcome, language: Language): string[] {
  const lines = quiet === 0 ? [] : [message(language, 'replayDump.quiet', { count: quiet })];
  if (first === null) return [...lines, message(language, 'replayDump.same', { count: steps })];
  return [...lines, message(language, 'replayDump.different', { count: steps, different, first })];
}
