export interface ExpectedSkip {
  /** The test file, from the repository root. */
  readonly file: string;
  readonly reason: string;
}

/**
 * Test files that may skip tests where the shared folder is absent. Where it is present nothing may be skipped,
 * and a continuous integration run (CI=true) fails on every skip that is not expected.
 */
export const expectedSkips: readonly ExpectedSkip[] = [
  { file: 'adapters/kubernetes/cases.test.ts', reason: 'reads dumps of real API servers' },
  { file: 'adapters/kubernetes/hami/placement.test.ts', reason: 'places pods that HAMi itself has placed' },
  { file: 'adapters/kubernetes/hami/pod-devices.test.ts', reason: 'reads what HAMi itself writes on pods' },
  { file: 'adapters/kubernetes/hami/register.test.ts', reason: 'reads what HAMi itself writes on nodes' },
  { file: 'adapters/kubernetes/hami/requests.test.ts', reason: 'reads requests that HAMi itself has read' },
  { file: 'cli/commands/inspect/cases.test.ts', reason: 'inspects dumps of real API servers' },
  { file: 'cli/commands/place/cases.test.ts', reason: 'places in dumps of real API servers' },
  { file: 'lab/parity/parity.kubernetes.test.ts', reason: 'loads a dump of a real API server' },
  { file: 'lab/queues/published.test.ts', reason: 'replays public traces of jobs' },
  { file: 'lab/replay/orders.test.ts', reason: 'reads the public traces and the published arrival orders' },
  { file: 'lab/replay/published.test.ts', reason: 'replays a public trace' },
];
