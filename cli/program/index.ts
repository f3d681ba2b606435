import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { type CommandEntry, commands } from '../commands/index.ts';

/** Exit codes of every command: 0 done, 1 the answer is no, 2 bad input. */
const exitCodeBadInput = 2;

/** Runs the program with an argument vector as in `process.argv`. Only the command that is asked for is loaded. */
export async function run(argv: readonly string[], entries: readonly CommandEntry[] = commands): Promise<void> {
  const program = await programFor(argv, entries);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has printed its message; help and version are no failures.
    if (error.exitCode !== 0) process.exitCode = exitCodeBadInput;
  }
}

async function programFor(argv: readonly string[], entries: readonly CommandEntry[]): Promise<Command> {
  const program = new Command('springtide')
    .description('Places, queues, slices and explains work on fleets of accelerator cards.')
    .version(manifest.version)
    .showHelpAfterError('(see --help)')
    .exitOverride();
  const asked = argv.slice(2).find((word) => entries.some((entry) => entry.name === word));
  for (const entry of entries) {
    const command = program.command(entry.name).description(entry.summary);
    if (entry.name === asked) (await entry.load()).define(command);
  }
  return program;
}
