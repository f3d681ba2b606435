import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Dump, DumpReader } from '@springtide/services/scheduler';
import { BadInput } from '../../terminal/index.ts';

const GZIP_MAGIC = 0x1f;

/** Reads a dump of a scheduler, packed or not; `-` is standard input. Throws `BadInput` where it is none. */
export async function readDump(path: string): Promise<Dump> {
  const name = path === '-' ? 'standard input' : path;
  const reader = new DumpReader();
  try {
    for await (const line of createInterface({ input: await unpacked(path), crlfDelay: Infinity })) {
      const trouble = reader.add(line);
      if (trouble !== null) throw new BadInput(`${name}: ${trouble}`);
    }
  } catch (error) {
    if (error instanceof BadInput) throw error;
    throw new BadInput(`${name}: ${(error as Error).message}`);
  }
  const dump = reader.dump();
  if (!dump.ok) throw new BadInput(`${name}: ${dump.error}`);
  return dump.value;
}

/** The first byte tells whether it is packed. */
async function unpacked(path: string): Promise<Readable> {
  const source: Readable = path === '-' ? process.stdin : createReadStream(path);
  const first = await new Promise<Buffer | null>((resolve, reject) => {
    source.once('error', reject);
    source.once('readable', () => resolve(source.read() as Buffer | null));
  });
  const rest = new PassThrough();
  if (first === null) return rest.end();
  source.unshift(first);
  return pipeline(source, first[0] === GZIP_MAGIC ? createGunzip() : new PassThrough(), () => {}) as Readable;
}
