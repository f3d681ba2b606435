import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * The program that cleans up after a control plane, whatever happened to the process that started it. It reads orders
 * from its standard input, a pipe that the starter holds open: when that closes, by intent or by death, every process
 * that is still watched is killed with its group, the folder is removed, and the guard ends too.
 *
 *     watch PID     forget PID     remove FOLDER     keep FOLDER
 */
const watched = new Set<number>();
const folders = new Set<string>();

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const space = line.indexOf(' ');
    obey(line.slice(0, space), line.slice(space + 1));
  })
  .on('close', () => {
    for (const pid of watched) killGroup(pid);
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });

function obey(order: string, what: string): void {
  if (order === 'watch') watched.add(Number(what));
  else if (order === 'forget') watched.delete(Number(what));
  else if (order === 'remove') folders.add(what);
  else if (order === 'keep') folders.delete(what);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
