import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, findGo, goEnvironment, NotBuildable, withLock } from '../controlplane/assets/index.ts';

const run = promisify(execFile);
const printedBytesMax = 64 * 1024 ** 2;

/** A program of somebody else's, built from its Go module. */
export interface GoProgram {
  readonly name: string;
  /** The folder's name in the cache: with the version, and a hash of all that goes in. */
  readonly key: string;
  /** What is said before the build, which takes minutes. */
  readonly about: string;
  /** Fills an empty folder. `go` runs the Go command with these words and returns what it prints. */
  readonly build: (go: RunGo, folder: string) => Promise<void>;
}

export type RunGo = (
  words: readonly string[],
  options?: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> },
) => Promise<string>;

/**
 * The folder with a program, built once and kept beside the control planes; or why there is none. Several processes
 * may ask at once; the folder appears whole or not at all.
 */
export async function goProgram(
  program: GoProgram,
  onProgress: (line: string) => void,
): Promise<{ folder: string } | { why: string }> {
  const cache = cacheFolder();
  const folder = join(cache, program.key);
  if (existsSync(folder)) return { folder };
  const go = await findGo();
  if (go === null) return { why: `there is no Go to build ${program.name} with` };
  mkdirSync(cache, { recursive: true });
  try {
    await withLock(
      join(cache, `${program.key}.lock`),
      () => buildWhole(program, go, folder, onProgress),
      () => onProgress(`another process builds ${program.name}: waiting for it`),
    );
  } catch (error) {
    if (error instanceof NotBuildable) return { why: error.message };
    throw error;
  }
  return { folder };
}

async function buildWhole(
  { name, about, build }: GoProgram,
  go: string,
  folder: string,
  onProgress: (line: string) => void,
): Promise<void> {
  if (existsSync(folder)) return;
  onProgress(`building ${name}, once: ${about}`);
  const scratch = mkdtempSync(`${folder}-unfinished-`);
  const runGo: RunGo = async (words, { cwd = scratch, env = {} } = {}) => {
    const options = { cwd, env: { ...process.env, ...goEnvironment, ...env }, maxBuffer: printedBytesMax };
    return (await run(go, [...words], options)).stdout;
  };
  try {
    await build(runGo, scratch);
    renameSync(scratch, folder);
  } catch (error) {
    throw new NotBuildable(`${name} cannot be built: ${String(error)}`, { cause: error });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
