import type { Command } from 'commander';

/** What `cli/commands/<name>/index.ts` exports: `define` adds arguments, options and the action. */
export interface CommandModule {
  define(command: Command): void;
}

export interface CommandEntry {
  readonly name: string;
  /** One line for `springtide --help`, which loads no command. */
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** Every subcommand, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'replay',
    summary: 'replay a trace, or the sample day, under several placement policies',
    load: () => import('./replay/index.ts'),
  },
];
