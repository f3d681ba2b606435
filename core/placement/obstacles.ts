import { sortedKeys } from '../base/index.ts';
import {
  FILTER_CODE,
  FILTERS,
  NO_CONSTRAINTS,
  type Constraints,
  type FilterName,
  type Machine,
  type Obstacle,
  type Pod,
} from '../model/index.ts';
import { hasChosenCard, NOBODY, type Book, type RequestClass } from '../state/index.ts';
import { cardShortage } from './card-shortage.ts';
import { labelObstacles } from './label-obstacles.ts';
import type { Placer } from './placer.ts';

/** Finds everything that keeps one pod off a machine, where the filters stop at the first. */
export type ObstacleFinder = (machine: number) => Obstacle[];

/** Prepared once a pod; each machine then costs O(its cards + resources asked for). */
export function obstacleFinder(placer: Placer, pod: Pod): ObstacleFinder {
  const { book } = placer;
  const requestClass = book.classOf(pod.request, pod.tenant);
  const anyModel = withAnyModel(book, pod, requestClass);
  const names = sortedKeys(pod.request.resources).filter((name) => (pod.request.resources.get(name) as number) > 0);
  const neighbours = neighbourFilters(placer, pod, requestClass);
  return (machine) => {
    const found = labelObstacles(book, pod.request.constraints, machine);
    if (book.reservedBy[machine] !== NOBODY) found.push(withoutAmount('reserved', ''));
    found.push(...capacityObstacles(book, { requestClass, names }, machine));
    found.push(...cardObstacles(book, { requestClass, anyModel }, machine));
    for (const filter of neighbours(machine)) found.push(withoutAmount(filter, ''));
    return found;
  };
}

function withoutAmount(filter: FilterName, resource: string): Obstacle {
  return { filter, resource, missing: 0, isBeyond: false };
}

interface Named {
  readonly requestClass: RequestClass;
  /** The other resources asked for, in the order of the class's columns. */
  readonly names: readonly string[];
}

/** Pods, CPU, memory and other resources that are short. */
function capacityObstacles(book: Book, { requestClass, names }: Named, machine: number): Obstacle[] {
  const found: Obstacle[] = [];
  const noun = book.machines[machine] as Machine;
  const compare = (what: [FilterName, string], asked: number, free: number, size: number): void => {
    const [filter, resource] = what;
    if (asked > 0 && free < asked) found.push({ filter, resource, missing: asked - free, isBeyond: asked > size });
  };
  const { cpuMilli, memoryBytes, resourceColumns, resourceAmounts } = requestClass;
  compare(['pods', 'pods'], 1, book.podsFree[machine] as number, noun.podsMax);
  compare(['cpu', 'cpuMilli'], cpuMilli, book.cpuFreeMilli[machine] as number, noun.cpuMilli);
  compare(['memory', 'memoryBytes'], memoryBytes, book.memoryFreeBytes[machine] as number, noun.memoryBytes);
  names.forEach((name, i) => {
    const free = book.columnFree(resourceColumns[i] as number)[machine] as number;
    compare(['resource', name], resourceAmounts[i] as number, free, noun.resources.get(name) ?? 0);
  });
  return found;
}

interface CardClasses {
  readonly requestClass: RequestClass;
  /** The same request with every model allowed; itself when it names none. */
  readonly anyModel: RequestClass;
}

function withAnyModel(book: Book, pod: Pod, requestClass: RequestClass): RequestClass {
  const { cards } = pod.request;
  if (cards.kind === 'none') return requestClass;
  const { words, wordsDenied, ...choice } = cards.choice ?? {};
  if (cards.models === null && words === undefined && wordsDenied === undefined) return requestClass;
  return book.classOf({ ...pod.request, cards: { ...cards, models: null, choice } }, pod.tenant);
}

function cardObstacles(book: Book, { requestClass, anyModel }: CardClasses, machine: number): Obstacle[] {
  const { cards } = requestClass.request;
  if (cards.kind === 'none') return [];
  const kinds = book.cardKind.subarray(book.cardStart[machine], book.cardStart[machine + 1]);
  if (kinds.some((kind) => requestClass.kindRefusal[kind] === 0)) {
    const isChosen = hasChosenCard(cards, book.machines[machine] as Machine);
    return isChosen ? cardShortage(book, requestClass, machine) : [withoutAmount('card-choice', cards.resource)];
  }
  // The kind that comes farthest speaks for the machine, as in the filters.
  const farthest = kinds.reduce((most, kind) => Math.max(most, requestClass.kindRefusal[kind] as number), 0);
  if (farthest === FILTER_CODE['card-slicing']) return [withoutAmount('card-slicing', cards.resource)];
  if (farthest !== FILTER_CODE['card-model']) return [withoutAmount('card-resource', cards.resource)];
  const models = withoutAmount('card-model', [...(cards.models ?? []), ...(cards.choice?.words ?? [])].join(', '));
  const isCut = kinds.some((kind) => anyModel.kindRefusal[kind] === 0);
  const rest = isCut ? cardShortage(book, anyModel, machine) : [withoutAmount('card-slicing', cards.resource)];
  return [models, ...rest];
}

/** The constraints on other pods, one kind at a time, and the filter that speaks for each. */
const KINDS_OF_NEIGHBOUR: readonly (readonly [FilterName, keyof Constraints])[] = [
  ['host-port', 'hostPorts'],
  ['pod-affinity', 'podAffinity'],
  ['pod-anti-affinity', 'podAntiAffinity'],
  ['topology-spread', 'topologySpread'],
  ['volume-in-use', 'exclusiveClaims'],
  ['card-limit', 'cardLimits'],
  ['device', 'devices'],
];

/** Every filter about other pods that refuses a machine: each kind is asked by itself, host memory apart. */
function neighbourFilters(placer: Placer, pod: Pod, asked: RequestClass): (machine: number) => FilterName[] {
  const requestClass = { ...asked, memoryBytes: 0 };
  const whole = placer.neighboursOf(pod, requestClass);
  if (whole === null) return () => [];
  const { constraints } = pod.request;
  const checks = KINDS_OF_NEIGHBOUR.flatMap(([filter, kind]) => {
    const others = { podAffinity: [], podAntiAffinity: [], topologySpread: [], hostPorts: [], exclusiveClaims: [] };
    const alone: Constraints = {
      ...constraints,
      ...others,
      cardLimits: [],
      devices: [],
      [kind]: constraints[kind] ?? [],
    };
    const part = { ...pod, service: '', request: { ...pod.request, constraints: alone } };
    const neighbours = placer.neighboursOf(part, { ...requestClass, hasNeighbours: true });
    return neighbours === null ? [] : [{ filter, neighbours }];
  });
  const caps = { ...pod, request: { ...pod.request, constraints: NO_CONSTRAINTS } };
  const service = placer.neighboursOf(caps, { ...requestClass, hasNeighbours: false });
  return (machine) => {
    if (whole.refusalOf(machine) === 0) return [];
    const found = checks
      .filter(({ filter, neighbours }) => neighbours.refusalOf(machine) === FILTER_CODE[filter])
      .map(({ filter }) => filter);
    const byService = FILTERS[service?.refusalOf(machine) ?? 0] as FilterName;
    return byService === 'service-machine' || byService === 'service-rack' ? [byService, ...found] : found;
  };
}
