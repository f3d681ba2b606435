import { mulberry32 } from '@springtide/core/base';
import { expect, test } from 'vitest';
import { VirtualClock } from './index.ts';

test('timers fire in the order in which they are due, then in that in which they were set; cancelled ones do not', async () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const random = mulberry32(seed);
    const clock = new VirtualClock();
    const [want, fired]: [number[][], number[][]] = [[], []];
    for (let i = 0; i < 200; i += 1) {
      const dueMs = random.below(50);
      const cancel = clock.after(dueMs, () => fired.push([clock.nowMs(), i]));
      if (random.below(4) === 0) cancel();
      else want.push([dueMs, i]);
    }
    await clock.pass(100);
    expect(fired, `seed ${seed}`).toEqual(want.toSorted(([a = 0], [b = 0]) => a - b));
  }
});

test('what a timer sets is seen in the same stretch of time, and no later than that', async () => {
  const clock = new VirtualClock();
  const fired: number[] = [];
  const tick = (): void => {
    fired.push(clock.nowMs());
    clock.after(10, tick);
  };
  clock.after(10, tick);
  await clock.pass(35);
  expect([fired, clock.nowMs()]).toEqual([[10, 20, 30], 35]);
});
