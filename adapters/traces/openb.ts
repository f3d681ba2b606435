import { EMPTY_REQUEST, NO_CARDS, type Card, type Machine, type Request } from '@springtide/core/model';
import { readCsv, TraceError } from './csv.ts';

const MIB = 1024 * 1024;
/** More than these is a mistake in the file: cards and cores of a machine, and its memory. */
const CARDS_MAX = 64;
const CPU_MILLI_MAX = 10_000_000;
const MEMORY_MIB_MAX = 1_000_000_000;
/** As in the published runs. */
const PODS_MAX = 1001;
const RESOURCE = 'nvidia.com/gpu';

export interface TracePod {
  readonly name: string;
  readonly request: Request;
  /** Thousandths of a card on each card asked for; 0 without cards. */
  readonly cardMilli: number;
  readonly cardCount: number;
}

/**
 * The machines of an openb node list: `sn`, `cpu_milli`, `memory_mib`, `gpu`, `model`. Card memory is unknown
 * there; cards can be cut by compute. Throws TraceError with file and line.
 */
export function readOpenbNodes(file: string): Machine[] {
  const seen = new Set<string>();
  const machines = readCsv(file, ['sn', 'cpu_milli', 'memory_mib', 'gpu', 'model']).map((row) => {
    const id = row.text('sn');
    if (id === '') throw new TraceError(file, row.line, 'sn is empty: expected the name of a machine');
    if (seen.has(id)) throw new TraceError(file, row.line, `sn ${id} is in the list twice`);
    seen.add(id);
    const model = row.text('model');
    const cards = Array.from({ length: row.integer('gpu', CARDS_MAX) }, (_, index) => cardOf(id, index, model));
    return machineOf(
      id,
      row.integer('cpu_milli', CPU_MILLI_MAX),
      row.integer('memory_mib', MEMORY_MIB_MAX) * MIB,
      cards,
    );
  });
  if (machines.length === 0) throw new TraceError(file, 0, 'lists no machine');
  return machines;
}

function machineOf(id: string, cpuMilli: number, memoryBytes: number, cards: readonly Card[]): Machine {
  return {
    id,
    location: { region: '', zone: '', rack: '', cluster: 'openb' },
    cpuMilli,
    memoryBytes,
    podsMax: PODS_MAX,
    resources: new Map(),
    labels: new Map(),
    taints: [],
    cordoned: false,
    cards,
  };
}

function cardOf(machine: string, index: number, model: string): Card {
  return {
    id: `${machine}/${index}`,
    vendor: 'nvidia',
    resource: RESOURCE,
    model,
    memoryMiB: 0,
    computeMilli: 1000,
    sharesMax: null,
    slicing: 'memory',
    island: 0,
    health: 'ok',
  };
}

/**
 * The pods of an openb pod list: `name`, `cpu_milli`, `memory_mib`, `num_gpu`, `gpu_milli`, and `gpu_spec` where
 * there is one. Equal requests share one object. Throws TraceError with file and line.
 */
export function readOpenbPods(file: string): TracePod[] {
  const requests = new Map<string, Request>();
  return readCsv(file, ['name', 'cpu_milli', 'memory_mib', 'num_gpu', 'gpu_milli']).map((row) => {
    const cardCount = row.integer('num_gpu', CARDS_MAX);
    const cardMilli = cardCount === 0 ? 0 : row.integer('gpu_milli', 1000);
    if (cardCount > 0 && cardMilli === 0) throw new TraceError(file, row.line, 'gpu_milli is 0 for a pod with cards');
    if (cardCount > 1 && cardMilli < 1000)
      throw new TraceError(file, row.line, 'gpu_milli below 1000 with several cards');
    const spec = cardCount === 0 ? '' : row.text('gpu_spec');
    const key = [row.text('cpu_milli'), row.text('memory_mib'), cardCount, cardMilli, spec].join(' ');
    let request = requests.get(key);
    if (request === undefined) {
      const memoryBytes = row.integer('memory_mib', MEMORY_MIB_MAX) * MIB;
      request = requestOf(row.integer('cpu_milli', CPU_MILLI_MAX), memoryBytes, { cardCount, cardMilli, spec });
      requests.set(key, request);
    }
    return { name: row.text('name'), request, cardMilli, cardCount };
  });
}

interface CardsAsked {
  readonly cardCount: number;
  readonly cardMilli: number;
  readonly spec: string;
}

function requestOf(cpuMilli: number, memoryBytes: number, { cardCount, cardMilli, spec }: CardsAsked): Request {
  const models = spec === '' ? null : spec.split('|');
  const ofCards = { resource: RESOURCE, count: cardCount, models };
  const cards =
    cardCount === 0
      ? NO_CARDS
      : cardMilli === 1000
        ? ({ kind: 'whole', ...ofCards } as const)
        : ({ kind: 'slice', ...ofCards, memory: { unit: 'none' }, computeMilli: cardMilli } as const);
  return { ...EMPTY_REQUEST, cpuMilli, memoryBytes, cards };
}
