import { writeSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import { expectedSkips } from '../shared/expected-skips.ts';
import { sharedDir } from '../shared/index.ts';
import { verdictOf } from './verdict.ts';
import { type Tally, tallyOf } from './tally.ts';

/**
 * Prints `N passed, N failed, N skipped` as the very last line of a run, and decides whether it failed. The line
 * is written when the process ends, since vitest may still report an error after the last test.
 */
class ClosingLine implements Reporter {
  #tally: Tally = { passed: 0, failed: 0, skips: [] };

  onInit(): void {
    process.once('exit', () => this.#close());
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    this.#tally = tallyOf(modules, unhandledErrors.length);
  }

  #close(): void {
    const verdict = verdictOf(this.#tally, {
      isExitCodeSet: Boolean(process.exitCode),
      isCi: Boolean(process.env.CI) && process.env.CI !== 'false',
      isSharedPresent: sharedDir() !== null,
      expectedSkips,
    });
    if (verdict.failed > 0) process.exitCode = process.exitCode || 1;
    writeSync(1, `${verdict.lines.join('\n')}\n`);
  }
}

// vitest looks for a default export.
export default ClosingLine;
