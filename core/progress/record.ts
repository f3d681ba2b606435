import type { SavedCheckpoint, CheckpointNews } from '../model/index.ts';

/** Good checkpoints that are remembered: a job that keeps fewer itself tells which are missing. */
const CHECKPOINTS_MAX = 4;
/** Starts in vain from one checkpoint after which the one before it is taken. */
const STRIKES_MAX = 2;

export interface KeptCheckpoint extends SavedCheckpoint {
  /** Incarnations that began from it and came to nothing. */
  readonly strikes: number;
}

/** What of a job's progress must outlive every process: kept with the job's object. */
export interface ProgressRecord {
  /** The only one that may live (I6). */
  readonly incarnation: number;
  /** What it began from; null: nothing. */
  readonly from: SavedCheckpoint | null;
  /** The furthest step of the incarnations before it. */
  readonly furthestStep: number;
  /** The newest first. */
  readonly checkpoints: readonly KeptCheckpoint[];
  /** Starts in vain since one bore fruit. */
  readonly fruitless: number;
  /** Restarts after trouble, all of them. */
  readonly restarts: number;
}

export const FIRST_RECORD: ProgressRecord = {
  incarnation: 1,
  from: null,
  furthestStep: 0,
  checkpoints: [],
  fruitless: 0,
  restarts: 0,
};

/**
 * What is known of the checkpoints after some news: a whole one comes first, one that was found torn or missing is
 * forgotten, so that the one before it is next. `at`: the step of the report that brings the news, and the
 * time on the wall.
 */
export function withCheckpoint(
  record: ProgressRecord,
  news: CheckpointNews,
  at: Pick<SavedCheckpoint, 'step' | 'atMs'>,
): ProgressRecord {
  const others = record.checkpoints.filter(({ uri }) => uri !== news.uri);
  if (news.state !== 'complete') {
    if (others.length === record.checkpoints.length) return record;
    const left = { ...record, checkpoints: others };
    return record.from?.uri === news.uri ? { ...left, from: checkpointToLoad(left) } : left;
  }
  const { uri, bytes, sha256 } = news;
  const newest = { uri, ...at, bytes, sha256, incarnation: record.incarnation, strikes: 0 };
  return { ...record, checkpoints: [newest, ...others].slice(0, CHECKPOINTS_MAX) };
}

/** The checkpoint to go on from: the newest that has not failed twice; null: from the beginning. */
export function checkpointToLoad(record: ProgressRecord): SavedCheckpoint | null {
  const found = record.checkpoints.find(({ strikes }) => strikes < STRIKES_MAX);
  if (found === undefined) return null;
  const { strikes: _, ...checkpoint } = found;
  return checkpoint;
}

/** Whether this incarnation was worth its cards: a new checkpoint, or a step that none had done before. */
export function isFruitful(record: ProgressRecord, step: number): boolean {
  return step > record.furthestStep || record.checkpoints.some(({ incarnation }) => incarnation === record.incarnation);
}

/** The record of an incarnation that begins without trouble before it: the first, or one after a suspension. */
export function begun(record: ProgressRecord, incarnation: number, reached: number): ProgressRecord {
  const furthestStep = Math.max(record.furthestStep, reached);
  return { ...record, incarnation, from: checkpointToLoad(record), furthestStep };
}

/** The record of the incarnation that comes next, after trouble in one that reached `step`. */
export function restarted(record: ProgressRecord, step: number): ProgressRecord {
  const isVain = !isFruitful(record, step);
  const checkpoints = isVain ? record.checkpoints.map((each) => struck(each, record.from)) : record.checkpoints;
  const next = { ...record, checkpoints };
  return {
    ...next,
    incarnation: record.incarnation + 1,
    from: checkpointToLoad(next),
    furthestStep: Math.max(record.furthestStep, step),
    fruitless: isVain ? record.fruitless + 1 : 0,
    restarts: record.restarts + 1,
  };
}

function struck(kept: KeptCheckpoint, from: SavedCheckpoint | null): KeptCheckpoint {
  return kept.uri === from?.uri ? { ...kept, strikes: kept.strikes + 1 } : kept;
}
