import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { InputFault, NOT_SHOWN } from './fault.ts';

/** One file of a dump or of requests. Its bytes are read when asked for, so that one is in memory at a time. */
export interface Source {
  readonly file: string;
  readonly read: () => Promise<Buffer>;
}

/** A fault of a file, which the caller turns into an `InputError`. */
export class SourceFault extends InputFault {
  readonly file: string;

  constructor(code: 'unreadable' | 'empty' | 'too-large' | 'cut', file: string, expected: string) {
    super(code, null, expected, NOT_SHOWN);
    this.file = file;
  }
}

/** What one buffer may hold; a dump of this size is of no cluster. */
const BYTES_MAX = 2 ** 31 - 1;

/** The file itself, standard input for `-`, or `nodes.json` and `pods.json` (or `.json.gz`) of a folder. */
export async function sourcesOf(path: string, stdin: Readable | undefined): Promise<Source[]> {
  // Standard input is touched only when it is wanted.
  if (path === '-') return [{ file: '-', read: () => readStream(stdin ?? process.stdin) }];
  if (!(await isFolder(path))) return [fileSource(path)];
  // One after the other, so that of two missing files it is always the same one that is named.
  return [await folderSource(path, 'nodes.json'), await folderSource(path, 'pods.json')];
}

function fileSource(file: string): Source {
  return { file, read: () => readWhole(file) };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    throw new SourceFault('unreadable', path, 'a file or folder that can be read');
  }
}

async function folderSource(folder: string, name: string): Promise<Source> {
  for (const file of [join(folder, name), join(folder, `${name}.gz`)]) {
    const found = await stat(file).then(
      (entry) => entry.isFile(),
      () => false,
    );
    if (found) return fileSource(file);
  }
  throw new SourceFault('unreadable', join(folder, name), `a file ${name} or ${name}.gz in the folder`);
}

async function readWhole(file: string): Promise<Buffer> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    if (codeOf(error) === 'ERR_FS_FILE_TOO_LARGE') throw tooLarge(file);
    throw new SourceFault('unreadable', file, 'a file that can be read');
  }
  return plainBytes(bytes, file);
}

async function readStream(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
    if (length > BYTES_MAX) throw tooLarge('-');
  }
  return plainBytes(Buffer.concat(chunks), '-');
}

function codeOf(error: unknown): unknown {
  return error !== null && typeof error === 'object' && 'code' in error ? error.code : undefined;
}

function tooLarge(file: string): SourceFault {
  return new SourceFault('too-large', file, 'at most 2 GiB');
}

/** No more than this is set aside on the word of a file. */
const CHUNK_MAX = 2 ** 29;

const unzip = promisify(gunzip);

/** Undoes gzip and the UTF-16 of a Windows shell, and takes off a byte order mark. Throws when nothing is left. */
async function plainBytes(bytes: Buffer, file: string): Promise<Buffer> {
  const unzipped = bytes[0] === 0x1f && bytes[1] === 0x8b ? await unzippedBytes(bytes, file) : bytes;
  const plain = withoutMark(unzipped);
  if (plain.every((byte) => byte <= 0x20)) throw new SourceFault('empty', file, 'something: the file is empty');
  return plain;
}

async function unzippedBytes(bytes: Buffer, file: string): Promise<Buffer> {
  try {
    return await unzip(bytes, { maxOutputLength: BYTES_MAX, chunkSize: chunkSizeFor(bytes) });
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(file);
    throw new SourceFault('cut', file, 'a whole gzip file: it is cut or damaged');
  }
}

/** The last four bytes tell the length unzipped: one chunk of that size saves copying it together. */
function chunkSizeFor(bytes: Buffer): number {
  const told = bytes.length < 18 ? 0 : bytes.readUInt32LE(bytes.length - 4);
  return Math.min(Math.max(told + 1, 65_536), CHUNK_MAX);
}

function withoutMark(bytes: Buffer): Buffer {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return Buffer.from(bytes.subarray(2).toString('utf16le'), 'utf8');
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
