import { TraceError } from '@springtide/adapters/traces';

/** What the user asked cannot be understood or read. The message is shown as it is, and the exit code is 2. */
export class BadInput extends Error {
  override readonly name = 'BadInput';
}

/** Exit codes of every command. */
export const EXIT = { done: 0, no: 1, badInput: 2 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * Runs a command and sets the exit code from its answer. Bad input is one line on stderr; anything else that is
 * thrown is a bug and keeps its stack trace.
 */
export async function answer(command: () => Promise<ExitCode>): Promise<void> {
  endQuietlyWithPipe();
  try {
    process.exitCode = await command();
  } catch (error) {
    if (!isBadInput(error)) throw error;
    process.stderr.write(`springtide: ${error.message}\n`);
    process.exitCode = EXIT.badInput;
  }
}

function isBadInput(error: unknown): error is Error {
  return error instanceof BadInput || error instanceof TraceError;
}

/** A reader such as `head` may close the pipe early, which is no failure of ours. */
function endQuietlyWithPipe(): void {
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}
