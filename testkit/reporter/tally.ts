import type { TestModule, TestSuite } from 'vitest/node';

export interface Skip {
  /** The test file, from the repository root, with forward slashes. */
  readonly file: string;
  readonly name: string;
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skips: readonly Skip[];
}

/**
 * Counts a run. A file that could not be loaded, a suite whose hook failed, a test that never finished and an
 * error outside any test each count as one failure, so that "0 failed" means what it says.
 */
export function tallyOf(modules: readonly TestModule[], unhandledErrorsCount: number): Tally {
  let passed = 0;
  let failed = unhandledErrorsCount;
  const skips: Skip[] = [];
  for (const module of modules) {
    failed += countBroken(module);
    for (const suite of module.children.allSuites()) failed += countBroken(suite);
    for (const test of module.children.allTests()) {
      const state = test.result().state;
      if (state === 'passed') passed += 1;
      else if (state === 'skipped') skips.push({ file: module.relativeModuleId, name: test.fullName });
      else failed += 1;
    }
  }
  return { passed, failed, skips };
}

function countBroken(part: TestModule | TestSuite): number {
  return part.errors().length > 0 ? 1 : 0;
}
