import type { TestProject } from 'vitest/node';
import { startControlPlane } from './start.ts';

/** Starts one control plane before the first test, and ends it after the last. vitest calls this. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const say = (line: string): void => void process.stderr.write(`test bed: ${line}\n`);
  const startMs = Date.now();
  const plane = await startControlPlane({
    onProgress: say,
    isFolderKept: Boolean(process.env.SPRINGTIDE_TESTBED_KEEP),
  });
  say(`${plane.version} at ${plane.url} after ${((Date.now() - startMs) / 1_000).toFixed(1)} s, in ${plane.folder}`);
  project.provide('controlPlaneFolder', plane.folder);
  return () => plane.stop();
}
