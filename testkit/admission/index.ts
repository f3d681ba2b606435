import { expect } from 'vitest';
import type { CohortSpec, JobState, QueuedJob, QueueSpec } from '@springtide/core/model';
import {
  Admission,
  ADMISSION_DEFAULTS,
  type AdmissionCommand,
  type AdmissionEvent,
  type AdmissionOptions,
} from '@springtide/core/admission';
import { aCell, aFlavor, aMachine, aQueue, aQueuedJob, aRequest, PRODUCTS } from '../builders/index.ts';

export const FLAVORS = [aFlavor('a100', { cardMemoryMiB: 81_920 })];

/** Admission with a clock, and whoever carries its orders out at once unless told otherwise. */
export class Desk {
  readonly admission: Admission;
  readonly told: AdmissionCommand[] = [];
  readonly states = new Map<string, JobState>();
  readonly incarnations = new Map<string, number>();
  nowMs = 0;
  /** Pods of what is admitted are ready at once. */
  isStarting = true;

  constructor(
    queues: readonly QueueSpec[],
    more: { machines?: number; cohorts?: readonly CohortSpec[]; options?: Partial<AdmissionOptions> } = {},
  ) {
    this.admission = new Admission({ ...ADMISSION_DEFAULTS, ...more.options });
    const machines = Array.from({ length: more.machines ?? 0 }, (_, i) =>
      aMachine(`m${i}`).cards(PRODUCTS.a100, 8).build(),
    );
    this.hear(
      { kind: 'quota', specs: { flavors: FLAVORS, cohorts: more.cohorts ?? [], queues } },
      ...machines.map((machine) => ({ kind: 'machine' as const, machine })),
    );
  }

  hear(...events: readonly AdmissionEvent[]): readonly AdmissionCommand[] {
    const all: AdmissionCommand[] = [];
    for (let pending = events, round = 0; round === 0 || pending.length > 0; round += 1) {
      const { commands, more } = this.admission.step(this.nowMs, pending, 1000);
      expect(more && commands.length === 0).toBe(false);
      for (const command of commands) {
        if (!('record' in command)) continue;
        this.states.set(command.job, command.record.state);
        this.incarnations.set(command.job, command.record.incarnation);
      }
      all.push(...commands.filter(({ kind }) => round === 0 || kind !== 'record'));
      pending = this.isStarting ? commands.flatMap(readyOf) : [];
    }
    this.told.push(...all);
    return all;
  }

  submit(...jobs: readonly QueuedJob[]): readonly AdmissionCommand[] {
    return this.hear(...jobs.map((job) => ({ kind: 'job' as const, job, record: null })));
  }

  say(kind: 'job-stopped', id: string): readonly AdmissionCommand[] {
    return this.hear({ kind, job: id, incarnation: this.incarnations.get(id) ?? 0 });
  }

  end(id: string): readonly AdmissionCommand[] {
    return this.hear({ kind: 'job-ended', job: id, incarnation: this.incarnations.get(id) ?? 0, isFailed: false });
  }

  wait(ms: number): readonly AdmissionCommand[] {
    this.nowMs += ms;
    return this.hear();
  }

  state(id: string): JobState | undefined {
    return this.states.get(id);
  }
}

function readyOf(command: AdmissionCommand): AdmissionEvent[] {
  if (command.kind !== 'admit') return [];
  return [{ kind: 'job-ready', job: command.job, incarnation: command.record.incarnation }];
}

/** A job of whole cards, in pods of eight at most; of queue `q` unless told otherwise. */
export function aCardJob(
  id: string,
  cards: number,
  part: Parameters<typeof aQueuedJob>[3] & { queue?: string } = {},
): QueuedJob {
  const { queue = 'q', ...rest } = part;
  const each = aRequest().whole(Math.min(8, cards));
  return aQueuedJob(id, queue, { count: Math.ceil(cards / 8), each }, rest);
}

/** A queue with so many cards of its own. */
export function aCardQueue(id: string, cards: number, part: Partial<QueueSpec> = {}): QueueSpec {
  return aQueue(id, [aCell('a100', 'cards', cards)], part);
}

/** The commands in short, in order. */
export function kinds(commands: readonly AdmissionCommand[]): string[] {
  return commands.map((command) => ('job' in command ? `${command.kind} ${command.job}` : command.kind));
}
