import type { ExpectedSkip } from '../shared/expected-skips.ts';
import type { Skip, Tally } from './tally.ts';

export interface Circumstances {
  /** Whether vitest itself has already decided that the run failed. */
  readonly isExitCodeSet: boolean;
  readonly isCi: boolean;
  readonly isSharedPresent: boolean;
  readonly expectedSkips: readonly ExpectedSkip[];
}

export interface Verdict {
  readonly failed: number;
  /** What to print; the last one is the closing line. */
  readonly lines: readonly string[];
}

/** The closing lines of a run. `failed` is zero only if something ran and nothing went wrong. */
export function verdictOf(tally: Tally, circumstances: Circumstances): Verdict {
  const lines: string[] = [];
  let failed = tally.failed;
  for (const skip of tally.skips) {
    const reason = reasonFor(skip, circumstances);
    const isFailure = reason === null && circumstances.isCi;
    if (isFailure) failed += 1;
    const kind = isFailure ? 'UNEXPECTED SKIP' : 'SKIPPED';
    lines.push(`${kind} ${skip.file} > ${skip.name}: ${reason ?? 'not in testkit/shared/expected-skips.ts'}`);
  }
  if (failed === 0 && tally.passed === 0) {
    lines.push('FAILED: no test ran');
    failed = 1;
  }
  if (failed === 0 && circumstances.isExitCodeSet) {
    lines.push('FAILED: vitest reported an error outside the tests');
    failed = 1;
  }
  lines.push(`${tally.passed} passed, ${failed} failed, ${tally.skips.length} skipped`);
  return { failed, lines };
}

function reasonFor(skip: Skip, circumstances: Circumstances): string | null {
  if (circumstances.isSharedPresent) return null;
  return circumstances.expectedSkips.find((expected) => expected.file === skip.file)?.reason ?? null;
}
