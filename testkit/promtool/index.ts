import { spawnSync } from 'node:child_process';

/** What Prometheus' own checker says; null where it is not installed (Debian's package `prometheus` has it). */
export function promtool(
  words: readonly string[],
  input = '',
): { readonly status: number | null; readonly told: string } | null {
  const { error, status, stdout, stderr } = spawnSync('promtool', words, { input, encoding: 'utf8' });
  return error === undefined ? { status, told: stdout + stderr } : null;
}
