import type { WatchState } from '@springtide/ports/cluster';
import { describe, expect, test } from 'vitest';
import { isStale, liveness, readiness } from './health.ts';

function watch(part: Partial<WatchState> = {}): WatchState {
  const usual = { watched: 'pods', source: 'pods', isSynced: true, disconnectedSinceMs: null, heardAtMs: 0, why: '' };
  return { ...usual, ...part } as WatchState;
}

describe('health', () => {
  test('the process is well while its loop passes', () => {
    expect(liveness(60_000)).toEqual({ isWell: true, lines: ['[+]loop ok'] });
    expect(liveness(60_001)).toEqual({ isWell: false, lines: ['[-]loop: no pass for 60 s'] });
  });

  test('it is ready when all is listed; else it says which watch is missing and why', () => {
    expect(readiness(true, [watch()], 0).isWell).toBe(true);
    const missing = readiness(false, [watch(), watch({ source: 'nodes', isSynced: false, why: 'forbidden: no' })], 0);
    expect(missing).toEqual({
      isWell: false,
      lines: ['[+]watch pods ok', '[-]watch nodes: not listed yet (forbidden: no)', '[-]lists: not complete yet'],
    });
  });

  test('I5: it is not ready while it may not decide: machines or pods have not been heard of for a minute', () => {
    const cut = watch({ disconnectedSinceMs: 1000, why: 'unreachable: reset' });
    expect(readiness(true, [cut], 60_999).isWell).toBe(true);
    expect(readiness(true, [cut], 61_000).lines[0]).toBe('[-]watch pods: disconnected for 60 s (unreachable: reset)');
    expect(isStale({ ...cut, watched: 'budgets' }, 1_000_000)).toBe(false);
  });
});
