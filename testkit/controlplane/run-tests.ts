import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { availability, ensureAssets, NotBuildable } from './assets/index.ts';

/**
 * `npm run test:kubernetes`: the tests that need a real control plane, or one loud line why there is none. Words are
 * passed on to vitest; `--long` adds the tests that take minutes each.
 */
async function runTests(words: readonly string[]): Promise<void> {
  const why = await whyNone();
  if (why !== null) {
    process.stdout.write(`SKIPPED every test of Kubernetes: ${why}\n0 passed, 0 failed, 1 skipped\n`);
    return;
  }
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const passedOn = words.filter((word) => word !== '--long');
  const env = { ...process.env, ...(words.includes('--long') ? { SPRINGTIDE_TESTBED_LONG: '1' } : {}) };
  const child = spawn(process.execPath, [vitest, 'run', '--config', 'vitest.kubernetes.config.ts', ...passedOn], {
    cwd: join(import.meta.dirname, '..', '..'),
    env,
    stdio: 'inherit',
  });
  process.once('SIGTERM', () => child.kill('SIGTERM'));
  child.once('close', (code) => {
    process.exitCode = code ?? 1;
  });
}

/** Why no control plane can be had here; null when there is one, which may have taken minutes to build. */
async function whyNone(): Promise<string | null> {
  const available = await availability();
  if (available.kind === 'absent') return available.why;
  try {
    await ensureAssets((line) => process.stderr.write(`test bed: ${line}\n`));
    return null;
  } catch (error) {
    if (error instanceof NotBuildable) return error.message;
    throw error;
  }
}

try {
  await runTests(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
