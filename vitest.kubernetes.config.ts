import { defineConfig } from 'vitest/config';

/** Tests that take minutes each, on demand only. */
const long = process.env.SPRINGTIDE_TESTBED_LONG ? ['**/*.kubernetes.long.test.ts'] : [];

// One control plane for all, started once. Tests restart it, so no two files run at the same time.
export default defineConfig({
  test: {
    include: ['**/*.kubernetes.test.ts', ...long],
    exclude: ['**/node_modules/**', '**/.cache/**'],
    globalSetup: ['./testkit/controlplane/vitest-setup.ts'],
    reporters: ['default', './testkit/reporter/index.ts'],
    isolate: false,
    fileParallelism: false,
    // Generous, for a machine that is busy: a test waits for several things, each with a bound of its own.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Real programs on a machine that may be busy with others: in CI a test that fails is tried once more, and both
    // outcomes are told. By hand it fails at once, so that nobody gets used to it.
    retry: process.env.CI ? 1 : 0,
  },
});
