import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The oldest Go that builds the pinned modules. */
export const goMinorMin = 26;

/** For every call of Go: the versions that go.mod says, no download of another Go, no C compiler. */
export const goEnvironment = { GOTOOLCHAIN: 'local', GOWORK: 'off', CGO_ENABLED: '0' } as const;

/** The command to call where Go is new enough, else null. */
export async function findGo(command = 'go'): Promise<string | null> {
  try {
    // Outside of any module, whose go.mod could have a word in the answer.
    const { stdout } = await run(command, ['env', 'GOVERSION'], {
      cwd: tmpdir(),
      env: { ...process.env, ...goEnvironment },
    });
    return isGoNewEnough(stdout.trim()) ? command : null;
  } catch {
    return null;
  }
}

/** Reads `go1.26.8`, and `devel go1.27-abcdef` of a Go built from its sources. */
export function isGoNewEnough(version: string): boolean {
  const [, major, minor] = /\bgo(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined) return false;
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= goMinorMin);
}
