import { Scheduler, type SchedulerCommand, type SchedulerEvent } from '@springtide/core/scheduler';
import { plainText } from '@springtide/wire/plain';
import type { Recording } from './journal.ts';

/** One step, decided again. */
export interface ReplayedStep {
  /** From 1. */
  readonly number: number;
  readonly nowMs: number;
  readonly events: readonly SchedulerEvent[];
  readonly recorded: readonly SchedulerCommand[];
  readonly decided: readonly SchedulerCommand[];
  readonly isSame: boolean;
}

/** Decides the steps of a recording again, from its snapshot on, and compares what is decided with what was. */
export function* replayed({ options, snapshot, entries }: Recording): Generator<ReplayedStep> {
  let scheduler = Scheduler.resume(options, snapshot);
  let number = 0;
  for (const entry of entries) {
    if (entry.kind === 'resumed') scheduler = Scheduler.resume(options, scheduler.snapshot());
    else if (entry.kind === 'looked') void scheduler.world.placer;
    else if (entry.kind === 'heard') scheduler.observe(entry.events);
    else {
      const { nowMs, events, work, commands: recorded } = entry;
      const { commands: decided } = scheduler.step(nowMs, events, work);
      number += 1;
      yield { number, nowMs, events, recorded, decided, isSame: plainText(decided) === plainText(recorded) };
    }
  }
}
