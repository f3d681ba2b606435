import { readFileSync } from 'node:fs';

/** What a process has used so far. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly rssPeakBytes: number;
}

/** Ticks of the clock in which Linux counts: 100 a second on every machine that runs Node. */
const tickMs = 10;

/** From /proc, so on Linux only; null elsewhere, and when the process has ended. */
export function usageOf(pid: number): Usage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return readUsage(stat, status);
  } catch {
    return null;
  }
}

export function readUsage(stat: string, status: string): Usage {
  // The name of the program is in brackets and may hold blanks. Fields 14 and 15 are its time in user and in kernel.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const cpuMs = (Number(fields[11]) + Number(fields[12])) * tickMs;
  return { cpuMs, rssBytes: kilobytesIn(status, 'VmRSS'), rssPeakBytes: kilobytesIn(status, 'VmHWM') };
}

function kilobytesIn(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1_024;
}
