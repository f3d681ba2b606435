import { defineConfig } from 'vitest/config';

// The closing line comes from our own reporter, which has to be the last one.
export default defineConfig({
  test: {
    include: ['**/*.test.ts', '**/*.prop.test.ts'],
    // Tests that need a real control plane: `npm run test:kubernetes`.
    exclude: ['**/node_modules/**', '**/.cache/**', '**/*.kubernetes.test.ts', '**/*.kubernetes.long.test.ts'],
    reporters: ['default', './testkit/reporter/index.ts'],
    // One worker runs many files: no module mocks and no module-level state in tests.
    isolate: false,
    // Property tests run a thousand cases each, on machines that may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
