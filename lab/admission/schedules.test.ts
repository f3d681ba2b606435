import { expect, test } from 'vitest';
import { play } from './schedule.ts';

/** FC_RUNS takes as many times more of them, as it does for properties; forty times is the 10,000 of the bar. */
const SCHEDULES = 250 * Number(process.env.FC_RUNS ?? 1);

test('I1, I2, I3, I4, I6, I10, I11 hold in every schedule, whatever goes wrong, and all jobs come to their end', () => {
  const sum = { starts: 0, evictions: 0, done: 0 };
  for (let seed = 1; seed <= SCHEDULES; seed += 1) {
    const { broken, starts, evictions, done } = play(seed);
    expect(broken, `seed ${seed}`).toEqual([]);
    sum.starts += starts;
    sum.evictions += evictions;
    sum.done += done;
  }
  // Nothing is shown where nothing happens.
  expect(sum.done).toBeGreaterThan(5 * SCHEDULES);
  expect(sum.evictions).toBeGreaterThan(SCHEDULES);
  expect(sum.starts).toBeGreaterThan(sum.done);
}, 600_000);
