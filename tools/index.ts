import { resolve } from 'node:path';
import { Command } from 'commander';

const program = new Command('tools').description('House rules and chores of this repository.');

program
  .command('tidy')
  .description('check the rules of the house that no ready-made linter knows')
  .argument('[folder]', 'a checkout', '.')
  .action(async (folder: string) => {
    const { describeFinding, readTree, tidy } = await import('./tidy/index.ts');
    const { filesCount, findings } = await tidy(readTree(resolve(folder)));
    for (const finding of findings) console.log(describeFinding(finding));
    console.log(`tidy: ${filesCount} files, ${findings.length} findings`);
    if (findings.length > 0) process.exitCode = 1;
  });

await program.parseAsync();
