import { readFileSync } from 'node:fs';

/** The helper for jobs in Python, one file without any package. */
export const HELPER_FILE = 'springtide_progress.py';

export function helperText(): string {
  return readFileSync(new URL(HELPER_FILE, import.meta.url), 'utf8').trimEnd();
}
