import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readGoRand, readOpenbNodes, readOpenbPods, TraceError } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'traces-'));

afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string): string {
  const path = join(folder, 'input.csv');
  writeFileSync(path, text);
  return path;
}

/** What a reader says about a text: the message without the path, or null when it reads it. */
function complaint(read: (path: string) => unknown, text: string): string | null {
  const path = file(text);
  try {
    read(path);
    return null;
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    expect(error.message.split('\n')).toHaveLength(1);
    return error.message.replace(path, 'input.csv');
  }
}

const NODES = 'sn,cpu_milli,memory_mib,gpu,model';
const PODS = 'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec';

describe('a list of machines (issue 3, bad input)', () => {
  test.each([
    ['', 'input.csv: is empty: expected a header line'],
    ['\n\n', 'input.csv: is empty: expected a header line'],
    [NODES, 'input.csv: lists no machine'],
    [
      'sn,cpu_milli,memory_mib,model\na,1,1,T4',
      'input.csv:1: lacks the column gpu; it has sn, cpu_milli, memory_mib, model',
    ],
    [`${NODES}\na,1000,1024,1,T4\nb,1000,1024,1`, 'input.csv:3: has 4 fields where the header has 5'],
    [`${NODES}\na,1000,1024,1,T4,x`, 'input.csv:2: has 6 fields where the header has 5'],
    [`${NODES}\na,-1,1024,1,T4`, 'input.csv:2: cpu_milli is "-1": expected a whole number from 0 to 10000000'],
    [`${NODES}\na,1e3,1024,1,T4`, 'input.csv:2: cpu_milli is "1e3": expected a whole number from 0 to 10000000'],
    [`${NODES}\na,,1024,1,T4`, 'input.csv:2: cpu_milli is "": expected a whole number from 0 to 10000000'],
    [
      `${NODES}\na,99999999,1024,1,T4`,
      'input.csv:2: cpu_milli is "99999999": expected a whole number from 0 to 10000000',
    ],
    [
      `${NODES}\na,1,9999999999,1,T4`,
      'input.csv:2: memory_mib is "9999999999": expected a whole number from 0 to 1000000000',
    ],
    [`${NODES}\na,1,1,65,T4`, 'input.csv:2: gpu is "65": expected a whole number from 0 to 64'],
    [`${NODES}\n,1,1,1,T4`, 'input.csv:2: sn is empty: expected the name of a machine'],
    [`${NODES}\na,1,1,1,T4\na,1,1,1,T4`, 'input.csv:3: sn a is in the list twice'],
  ])('is refused with file, line and what was expected: %j', (text, want) => {
    expect(complaint(readOpenbNodes, text)).toBe(want);
  });

  test('that is cut within quotes is refused', () => {
    expect(complaint(readOpenbNodes, `${NODES}\na,1,1,1,"T4`)).toMatch(/^input\.csv:2: is no CSV: /);
  });

  test('that is no text is refused on one line without control characters', () => {
    const said = complaint(readOpenbNodes, '\u001F\u008B\u0008\u0000\u0000\u001B[31m,binary');
    expect(said).toMatch(/^input\.csv:1: lacks the column sn, /);
    expect(said).not.toMatch(/\p{Cc}/u);
  });

  test('that is not there, or is a folder, is refused', () => {
    expect(() => readOpenbNodes(join(folder, 'none.csv'))).toThrow(/none\.csv: cannot be read: ENOENT/);
    mkdirSync(join(folder, 'folder.csv'));
    expect(() => readOpenbNodes(join(folder, 'folder.csv'))).toThrow(/folder\.csv: cannot be read: EISDIR/);
  });

  test('may have further columns in any order, a byte order mark, empty lines and Windows line ends', () => {
    const text = '\uFEFFmodel,sn,rack,gpu,memory_mib,cpu_milli\r\n\r\nT4,a,r1,2,1024,8000\r\n';
    const [machine] = readOpenbNodes(file(text));
    expect(machine).toMatchObject({ id: 'a', cpuMilli: 8000, memoryBytes: 2 ** 30 });
    expect(machine?.cards.map((card) => card.model)).toEqual(['T4', 'T4']);
  });
});

describe('a list of pods (issue 3, bad input)', () => {
  test.each([
    ['name,cpu_milli', 'input.csv:1: lacks the column memory_mib, num_gpu, gpu_milli; it has name, cpu_milli'],
    [`${PODS}\np,1,1,1,0,`, 'input.csv:2: gpu_milli is 0 for a pod with cards'],
    [`${PODS}\np,1,1,2,500,`, 'input.csv:2: gpu_milli below 1000 with several cards'],
    [`${PODS}\np,1,1,1,1001,`, 'input.csv:2: gpu_milli is "1001": expected a whole number from 0 to 1000'],
    [`${PODS}\np,1,1,one,1000,`, 'input.csv:2: num_gpu is "one": expected a whole number from 0 to 64'],
  ])('is refused with file, line and what was expected: %j', (text, want) => {
    expect(complaint(readOpenbPods, text)).toBe(want);
  });

  test('need not name card models', () => {
    const [pod] = readOpenbPods(file('name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,4000,1024,1,500\n'));
    expect(pod).toMatchObject({ name: 'p', cardCount: 1, cardMilli: 500 });
    expect(pod?.request.cards).toMatchObject({ kind: 'slice', computeMilli: 500, models: null });
  });

  test('gives equal requests one object', () => {
    const pods = readOpenbPods(file(`${PODS}\na,1,1,1,1000,T4|P100\nb,1,1,1,1000,T4|P100\nc,2,1,0,0,T4\n`));
    expect(pods[0]?.request).toBe(pods[1]?.request);
    expect(pods[0]?.request.cards).toMatchObject({ kind: 'whole', models: ['T4', 'P100'] });
    expect(pods[2]?.request.cards).toEqual({ kind: 'none' });
  });
});

describe("a table of Go's random numbers (issue 3, bad input)", () => {
  test.each([
    ['{', /cannot be read/],
    ['null', /expected an object of seeds/],
    ['{"42": "ab"}', /seed 42: expected 607 outputs of 16 hex digits/],
    ['{"42": 7}', /seed 42: expected 607 outputs of 16 hex digits/],
  ])('is refused: %j', (text, want) => {
    expect(complaint((path) => readGoRand(path, 42), text)).toMatch(want);
  });

  test('may lack a seed', () => {
    expect(readGoRand(file('{}'), 42)).toBeNull();
  });
});
