import { describe, expect, test } from 'vitest';
import { RunTimeHistory } from './run-time-history.ts';
import { keysOf, type RunTimeTraits } from './run-time-traits.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function traits(some: Partial<RunTimeTraits> = {}): RunTimeTraits {
  return { tenant: 'vision', cards: 1, user: '', name: '', image: '', ...some };
}

/** Ten runs of one kind that were submitted a minute apart and started at once. */
function tenRuns(history: RunTimeHistory, kind: RunTimeTraits, fromMs: number, lastMs: number): void {
  for (let i = 0; i < 10; i += 1) {
    const atMs = fromMs + i * MINUTE_MS;
    const id = `${JSON.stringify(kind)} ${atMs}`;
    history.started(id, kind, atMs, atMs);
    history.ended(id, atMs + lastMs);
  }
}

describe('the history of run times', () => {
  test('knows runs by their finest key, and backs off to coarser ones', () => {
    const history = new RunTimeHistory();
    tenRuns(history, traits({ user: 'ann', name: 'train' }), 0, 8 * HOUR_MS);
    tenRuns(history, traits({ user: 'bob', name: 'test' }), 0, 2 * MINUTE_MS);
    tenRuns(history, traits({ cards: 8, user: 'ann' }), 0, 48 * HOUR_MS);
    const median = (some: Partial<RunTimeTraits>): number =>
      history.runTimeOf(traits(some), 0, 3 * DAY_MS).quantileMs(0.5, 0);
    expect(median({ user: 'ann', name: 'train' })).toBe(8 * HOUR_MS);
    expect(median({ user: 'bob', name: 'other' })).toBe(2 * MINUTE_MS);
    expect(median({ tenant: 'speech', cards: 8 })).toBe(48 * HOUR_MS);
  });

  test('takes what was submitted nearby for more than what was long ago', () => {
    const history = new RunTimeHistory();
    for (let i = 0; i < 10; i += 1) tenRuns(history, traits(), i * HOUR_MS, 5 * MINUTE_MS);
    tenRuns(history, traits(), 10 * DAY_MS, 3 * HOUR_MS);
    const atMs = 10 * DAY_MS + 10 * MINUTE_MS;
    expect(history.runTimeOf(traits(), atMs, atMs + 4 * HOUR_MS).quantileMs(0.5, 0)).toBe(3 * HOUR_MS);
  });

  test('counts jobs that still run, so that long ones are not missed', () => {
    const history = new RunTimeHistory();
    tenRuns(history, traits(), 0, MINUTE_MS);
    for (let i = 0; i < 30; i += 1) history.started(`long ${i}`, traits(), i * MINUTE_MS, i * MINUTE_MS);
    const { quantileMs } = history.runTimeOf(traits(), 0, 40 * HOUR_MS);
    expect(quantileMs(0.5, 0)).toBeGreaterThan(20 * HOUR_MS);
  });

  test('knows of a job that was stopped only that it lasts longer', () => {
    const [ended, stopped] = [new RunTimeHistory(), new RunTimeHistory()];
    for (const history of [ended, stopped]) {
      tenRuns(history, traits(), 0, 5 * HOUR_MS);
      for (let i = 0; i < 20; i += 1) history.started(`job ${i}`, traits(), 0, 0);
      for (let i = 0; i < 20; i += 1) {
        if (history === ended) history.ended(`job ${i}`, MINUTE_MS);
        else history.stopped(`job ${i}`, MINUTE_MS);
      }
    }
    const medianOf = (history: RunTimeHistory): number => history.runTimeOf(traits(), 0, DAY_MS).quantileMs(0.5, 0);
    expect(medianOf(ended)).toBe(MINUTE_MS);
    expect(medianOf(stopped)).toBe(5 * HOUR_MS);
  });

  test('keeps the last runs of a key, and forgets keys that were longest without one', () => {
    const history = new RunTimeHistory();
    tenRuns(history, traits({ tenant: 'old', cards: 3 }), 0, 5 * HOUR_MS);
    for (let i = 0; i < 5000; i += 1) {
      const kind = traits({ tenant: `tenant ${i}`, cards: 100 + i });
      history.started(`job ${i}`, kind, DAY_MS, DAY_MS);
      history.ended(`job ${i}`, DAY_MS + MINUTE_MS);
    }
    const old = history.runTimeOf(traits({ tenant: 'old', cards: 3 }), 0, 10 * DAY_MS);
    const unknown = new RunTimeHistory().runTimeOf(traits(), 0, 10 * DAY_MS);
    expect(old.quantileMs(0.5, 0)).toBe(unknown.quantileMs(0.5, 0));
  });

  test('does not mind ends of jobs that it never saw start', () => {
    const history = new RunTimeHistory();
    history.ended('nobody', MINUTE_MS);
    history.stopped('nobody', MINUTE_MS);
    expect(history.runTimeOf(traits(), 0, HOUR_MS).quantileMs(0.5, 0)).toBe(HOUR_MS);
  });
});

describe('the keys of a job', () => {
  test('go from the finest to the coarsest, each once, without what is not known', () => {
    expect(keysOf(traits())).toHaveLength(3);
    expect(keysOf(traits({ user: 'ann', name: 'train', image: 'torch' }))).toHaveLength(7);
    expect(keysOf(traits({ user: 'ann' }))[0]).not.toBe(keysOf(traits({ name: 'ann' }))[0]);
  });
});
