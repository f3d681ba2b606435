import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Writes a file whole or not at all: into a file beside it, which then takes its name. Returns the absolute path.
 * Throws what the file system throws, and leaves nothing behind.
 */
export function writeWholeFile(path: string, text: string): string {
  const target = resolve(path);
  const draft = `${target}.${process.pid}.part`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return target;
}
