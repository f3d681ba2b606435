import { vi } from 'vitest';

/** How a command ended, and what it wrote. */
export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program within this process, which is quicker than as a user does; in English unless asked otherwise. */
export async function ranHere(run: (argv: readonly string[]) => Promise<void>, words: readonly string[]): Promise<Ran> {
  const told = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      told[stream] += String(text);
      return true;
    });
  }
  vi.stubEnv('LC_ALL', 'C');
  const listeners = process.stdout.listeners('error');
  try {
    await run(['node', 'springtide', ...words]);
    return { status: Number(process.exitCode ?? 0), ...told };
  } finally {
    process.exitCode = undefined;
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    for (const listener of process.stdout.listeners('error')) {
      if (!listeners.includes(listener)) process.stdout.removeListener('error', listener as () => void);
    }
  }
}
