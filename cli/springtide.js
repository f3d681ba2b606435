#!/usr/bin/env -S node --single-threaded
// One thread for V8 too: its helpers spend more CPU than they save time (docs/decisions/0020-compile-for-short-runs.md).
//
// JavaScript, not TypeScript, and without a static import: an older Node refuses the suffix .ts before it reads a
// line, and this file has to tell its user what is missing.
const major = Number(process.versions.node.split('.')[0]);

if (major < 24) {
  console.error(
    `springtide needs Node 24 or newer; this is Node ${process.versions.node}.\n` +
      'In a checkout use "npx springtide": npm puts the Node it has installed first on the path.',
  );
  process.exitCode = 2;
} else {
  // What was compiled once is kept for the next start, which halves it.
  const { enableCompileCache } = await import('node:module');
  enableCompileCache();
  await import('./engine-flags.js');
  const { run } = await import('./program/index.ts');
  await run(process.argv);
}
