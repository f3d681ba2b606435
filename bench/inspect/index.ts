import { fleetDump } from '@springtide/testkit/kubectl';
import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Bound, holds, writeResult } from '../report.ts';

/** One run of `springtide inspect` in a process of its own. */
interface Run {
  readonly words: string;
  readonly seconds: number;
  /** User and system time, and peak resident memory; null where /proc does not tell. */
  readonly cpuSeconds: number | null;
  readonly peakMiB: number | null;
  /** Processes that wanted to run beside it when it began. */
  readonly load: number;
}

const MACHINES = 5000;
const PODS = 50_000;
const SECONDS_MAX = 10;
const PEAK_MIB_MAX = 1536;
const CLOCK_TICKS = 100;

const program = resolve(import.meta.dirname, '..', '..', 'cli', 'springtide.js');

/** `inspect` on a dump of 5,000 machines and 50,000 pods, 250 MB, made in a temporary folder (issue 3, criterion 8). */
export async function inspect(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'springtide-inspect-'));
  try {
    const dump = join(folder, 'dump.json');
    await writeDump(dump);
    const runs: Run[] = [];
    for (const more of [['--json'], [], ['--html', join(folder, 'report.html')]]) {
      const run = await measure(dump, more);
      console.log(`${run.words}: ${run.seconds} s, CPU ${run.cpuSeconds} s, peak ${run.peakMiB} MiB, load ${run.load}`);
      runs.push(run);
    }
    writeResult('inspect', { machines: MACHINES, pods: PODS, dumpBytes: statSync(dump).size, runs });
    return holds(runs.flatMap(boundsOf));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function boundsOf({ words, seconds, peakMiB }: Run): Bound[] {
  return [
    { figure: `seconds of ${words}`, value: seconds, max: SECONDS_MAX },
    { figure: `peak MiB of ${words}`, value: peakMiB ?? 0, max: PEAK_MIB_MAX },
  ];
}

async function writeDump(file: string): Promise<void> {
  const stream = createWriteStream(file);
  for (const piece of fleetDump(MACHINES, PODS)) if (!stream.write(piece)) await once(stream, 'drain');
  stream.end();
  await once(stream, 'finish');
}

async function measure(dump: string, more: readonly string[]): Promise<Run> {
  const load = rounded(loadavg()[0] ?? 0);
  const start = process.hrtime.bigint();
  const child = spawn(process.execPath, [program, 'inspect', dump, ...more], { stdio: ['ignore', 'pipe', 'ignore'] });
  let usage = usageOf(child.pid);
  const look = (): void => {
    usage = usageOf(child.pid) ?? usage;
  };
  const timer = setInterval(look, 20);
  child.stdout.on('data', look);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearInterval(timer);
  const seconds = rounded(Number(process.hrtime.bigint() - start) / 1e9);
  if (exitCode !== 0) throw new Error(`springtide inspect ended with ${exitCode}`);
  const words = ['inspect DUMP', ...more.map((word) => (word.startsWith('--') ? word : 'FILE'))].join(' ');
  return { words, seconds, cpuSeconds: usage?.cpuSeconds ?? null, peakMiB: usage?.peakMiB ?? null, load };
}

/** What the kernel keeps of a process: read until it ends. */
function usageOf(pid: number | undefined): Pick<Run, 'cpuSeconds' | 'peakMiB'> | null {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return kib === undefined
      ? null
      : { cpuSeconds: rounded(ticks / CLOCK_TICKS), peakMiB: Math.round(Number(kib) / 1024) };
  } catch {
    return null;
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
