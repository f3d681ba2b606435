import { mean } from '../report.ts';
import type { Stage } from './contender.ts';

interface Record {
  readonly kind: string;
  readonly seenAtMs: number;
  stage: Stage;
  /** The last time, as the harness has it. */
  admittedAtMs: number;
}

export interface Summary {
  readonly count: number;
  readonly meanToAdmissionMs: number;
}

/** What has become of each workload, by what the API server shows. Times are monotonic, in ms. */
export class Ledger {
  readonly #records = new Map<string, Record>();
  finishedCount = 0;
  admissionsCount = 0;
  evictionsCount = 0;
  firstAdmittedAtMs = Infinity;
  lastAdmittedAtMs = 0;

  /** Takes note and returns the stage that has begun, or null if none has. */
  see(key: string, kind: string, stage: Stage, nowMs: number): Stage | null {
    const known = this.#records.get(key);
    if (known === undefined) this.#records.set(key, { kind, seenAtMs: nowMs, stage: 'waiting', admittedAtMs: 0 });
    const record = this.#records.get(key) as Record;
    if (record.stage === stage) return null;
    record.stage = stage;
    if (stage === 'finished') this.finishedCount += 1;
    if (stage === 'evicted') this.evictionsCount += 1;
    if (stage === 'admitted') this.#admit(record, nowMs);
    return stage;
  }

  #admit(record: Record, nowMs: number): void {
    record.admittedAtMs = nowMs;
    this.admissionsCount += 1;
    this.firstAdmittedAtMs = Math.min(this.firstAdmittedAtMs, nowMs);
    this.lastAdmittedAtMs = nowMs;
  }

  /** By class, of those that have been admitted: from the first sight to the last admission. */
  summaries(): { [kind: string]: Summary } {
    const admitted = [...this.#records.values()].filter(({ admittedAtMs }) => admittedAtMs > 0);
    const byKind = Object.entries(Object.groupBy(admitted, ({ kind }) => kind));
    return Object.fromEntries(byKind.map(([kind, records = []]) => [kind, summaryOf(records)]));
  }
}

function summaryOf(records: readonly Record[]): Summary {
  const waitsMs = records.map(({ seenAtMs, admittedAtMs }) => admittedAtMs - seenAtMs);
  return { count: records.length, meanToAdmissionMs: Math.round(mean(waitsMs)) };
}
