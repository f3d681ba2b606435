import { fleetDump } from '@springtide/testkit/kubectl';
import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { once } from 'node:events';
import { parseArgs } from 'node:util';

/**
 * How long `springtide inspect` takes on a large dump, and how much memory (issue 3, criterion 8: 5,000 machines
 * and 50,000 pods in less than 10 s and 1.5 GB). Makes the dump in a temporary folder and prints JSON:
 *
 *     node bench/inspect/index.ts [--machines 5000] [--pods 50000] [--keep]
 */
interface Run {
  readonly arguments: string;
  readonly seconds: number;
  /** Peak resident memory; null where the system does not tell (it is read from /proc). */
  readonly peakMiB: number | null;
  readonly exitCode: number | null;
  readonly outputBytes: number;
}

const program = resolve(import.meta.dirname, '..', '..', 'cli', 'springtide.js');

async function writeDump(file: string, machines: number, pods: number): Promise<void> {
  const stream = createWriteStream(file);
  for (const piece of fleetDump(machines, pods)) if (!stream.write(piece)) await once(stream, 'drain');
  stream.end();
  await once(stream, 'finish');
}

/** The highest resident memory so far, which the kernel keeps for us. */
function peakOf(pid: number): number | null {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kib === undefined ? null : Number(kib) / 1024;
  } catch {
    return null;
  }
}

async function measure(words: readonly string[]): Promise<Run> {
  const start = process.hrtime.bigint();
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  let peakMiB: number | null = null;
  let outputBytes = 0;
  const look = (): void => {
    peakMiB = peakOf(child.pid ?? 0) ?? peakMiB;
  };
  const timer = setInterval(look, 20);
  child.stdout.on('data', (chunk: Buffer) => {
    outputBytes += chunk.length;
    look();
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearInterval(timer);
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const shown = words.map((word) => (word.includes('/') ? '...' : word)).join(' ');
  return {
    arguments: shown,
    seconds: round(seconds),
    peakMiB: peakMiB === null ? null : Math.round(peakMiB),
    exitCode,
    outputBytes,
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      machines: { type: 'string', default: '5000' },
      pods: { type: 'string', default: '50000' },
      keep: { type: 'boolean', default: false },
    },
  });
  const [machines, pods] = [Number(values.machines), Number(values.pods)];
  const folder = mkdtempSync(join(tmpdir(), 'springtide-inspect-'));
  try {
    const dump = join(folder, 'dump.json');
    await writeDump(dump, machines, pods);
    const runs: Run[] = [];
    const report = join(folder, 'report.html');
    for (const words of [
      ['inspect', dump, '--json'],
      ['inspect', dump],
      ['inspect', dump, '--html', report],
    ]) {
      runs.push(await measure(words));
    }
    const machine = {
      cpu: cpus()[0]?.model ?? '',
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      node: process.version,
    };
    console.log(JSON.stringify({ machines, pods, dumpBytes: statSync(dump).size, runs, machine }, null, 1));
  } finally {
    if (!values.keep) rmSync(folder, { recursive: true });
  }
}

await main();
