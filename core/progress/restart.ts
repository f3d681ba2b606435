import type { JobTrouble, RestartDecision } from '../model/index.ts';
import { mendOf } from './mend.ts';
import { isFruitful, type ProgressRecord, restarted } from './record.ts';

/** Starts in vain, one after the other, after which a job is given up: as many as a Kubernetes Job has. */
const FRUITLESS_MAX = 6;
/** Restarts of one job in all, however fruitful. */
const RESTARTS_MAX = 100;
/** Before the first restart; twice as long after each start in vain. */
const BACK_OFF_MS = 10_000;
const BACK_OFF_MS_MAX = 600_000;

export interface Restart {
  readonly decision: RestartDecision;
  /** What is to be kept, before anything is done; the same as before when it is given up. */
  readonly record: ProgressRecord;
}

/**
 * What becomes of a job in trouble whose incarnation came as far as `step`. Evictions and suspensions are no trouble
 * and never come here. The caller writes the record, then ends what is left of the old incarnation, and starts the new
 * one when `afterMs` is over and the old one is gone.
 */
export function decideRestart(
  record: ProgressRecord,
  step: number,
  trouble: JobTrouble,
  avoid: readonly string[],
): Restart {
  const fruitful = isFruitful(record, step);
  const next = restarted(record, step);
  const why = objection(trouble, fruitful, next);
  if (why !== null) return { decision: { kind: 'give-up', why, fruitless: next.fruitless, trouble }, record };
  const { from, fruitless } = next;
  const afterMs = Math.min(BACK_OFF_MS * 2 ** fruitless, BACK_OFF_MS_MAX);
  return { decision: { kind: 'restart', afterMs, from, avoid, trouble }, record: next };
}

type Objection = Extract<RestartDecision, { kind: 'give-up' }>['why'];

function objection(trouble: JobTrouble, isFruit: boolean, next: ProgressRecord): Objection | null {
  const mend = trouble.kind === 'failed' ? mendOf(trouble.failure) : 'elsewhere';
  if (mend === 'never' || (mend === 'if-fruitful' && !isFruit)) return 'cannot-mend';
  if (mend === 'once' && next.fruitless > 1) return 'cannot-mend';
  if (next.fruitless > FRUITLESS_MAX) return 'no-progress';
  return next.restarts > RESTARTS_MAX ? 'too-many-restarts' : null;
}
