import { expect, test } from 'vitest';
import { readUsage, usageOf } from './usage.ts';

test('time and memory are read from what Linux says, whatever the program is called', () => {
  const stat = `42 (a ) b) S 1 42 42 0 -1 4194304 100 0 0 0 250 50 7 7 20 0 9 0 123 456 789`;
  const status = 'Name:\ta ) b\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n';
  expect(readUsage(stat, status)).toEqual({ cpuMs: 3_000, rssBytes: 1_048_576, rssPeakBytes: 2_097_152 });
});

test('a process that is not there has used nothing', () => {
  expect(usageOf(2 ** 30)).toBeNull();
});
