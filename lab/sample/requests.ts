import type { Random } from '@springtide/core/base';
import { EMPTY_REQUEST, NO_CARDS, NO_CONSTRAINTS, type CardRequest, type Request } from '@springtide/core/model';
import { between, pick, type Weighted } from './chance.ts';
import { ASCEND_910B, MACHINE_KINDS, NVIDIA_GPU } from './fleet.ts';

/** What a pod of the sample asks of cards. */
export type Size = 'cpu' | 'slice' | 'one' | 'two' | 'four' | 'eight';

const GIB = 1024 ** 3;
const SLICE_STEP_MIB = 256;

const WHOLE_CARDS: Readonly<Record<Size, number>> = { cpu: 0, slice: 1, one: 1, two: 2, four: 4, eight: 8 };

/** Cores of a pod of each size, near the quantiles of openb-2023: most one-card pods ask for ten and more. */
const CORES: Readonly<Record<Size, Weighted<number>>> = {
  cpu: [
    [8, 3],
    [12, 4],
    [32, 3],
  ],
  slice: [
    [3, 45],
    [4, 20],
    [8, 20],
    [12, 15],
  ],
  one: [
    [3, 12],
    [8, 13],
    [10, 20],
    [12, 35],
    [16, 14],
    [18, 6],
  ],
  two: [
    [8, 3],
    [16, 5],
    [24, 2],
  ],
  four: [
    [32, 6],
    [40, 4],
  ],
  eight: [
    [64, 5],
    [80, 5],
  ],
};

/** Thousandths of a card that shared pods ask for: the commonest values of openb-2023. */
const SLICE_MILLI: Weighted<number> = [
  [810, 35],
  [470, 25],
  [320, 11],
  [650, 8],
  [230, 9],
  [460, 4],
  [160, 4],
  [590, 4],
];

/** Shared pods name the pool their image was tuned for, with the weight of its cards. */
const SLICE_POOLS: Weighted<string> = [
  ['l20', 5],
  ['a10', 2],
  ['t4', 3],
];

/** About a third of the pods with whole cards name the models they accept; big ones do so more often. */
const MODELS: Readonly<Record<'small' | 'big', Weighted<readonly string[] | null>>> = {
  small: [
    [null, 68],
    [['a100', 'h100'], 8],
    [['l20'], 8],
    [['a10', 'l20'], 6],
    [['t4'], 5],
    [['v100'], 5],
  ],
  big: [
    [null, 30],
    [['a100', 'h100'], 45],
    [['h100'], 10],
    [['a100'], 15],
  ],
};

const REGIONS: Weighted<string | null> = [
  [null, 50],
  ['north', 25],
  ['east', 25],
];

/** One in ten pods with whole cards is written for Ascend. */
const ASCEND_ONE_IN = 10;

const productOf = new Map(MACHINE_KINDS.map((kind) => [kind.name, kind]));

/** Draws requests. Equal ones share one object, so that their class is found at once. */
export class RequestDraws {
  readonly #random: Random;
  readonly #known = new Map<string, Request>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** A request of a size; pinned to a region when its data lies there, which half of them do. */
  draw(size: Size, region: string | null = pick(this.#random, REGIONS)): Request {
    const cores = pick(this.#random, CORES[size]);
    const cards = this.#cards(size);
    const key = JSON.stringify([cores, cards, region]);
    let request = this.#known.get(key);
    if (request === undefined) {
      request = requestOf(cores, cards, region);
      this.#known.set(key, request);
    }
    return request;
  }

  /** A region for work that has to stay together. */
  region(): string {
    return between(this.#random, 0, 1) === 0 ? 'north' : 'east';
  }

  #cards(size: Size): CardRequest {
    const count = WHOLE_CARDS[size];
    if (count === 0) return NO_CARDS;
    if (size === 'slice') return this.#slice();
    if (this.#random.below(ASCEND_ONE_IN) === 0) return { kind: 'whole', resource: ASCEND_910B, count, models: null };
    const names = pick(this.#random, MODELS[count >= 4 ? 'big' : 'small']);
    // Machines with four cards and few cores exist: pods with eight cards name machines that can hold them.
    const models = names === null ? null : names.map((name) => productOf.get(name)?.product ?? name);
    return { kind: 'whole', resource: NVIDIA_GPU, count, models };
  }

  #slice(): CardRequest {
    const pool = productOf.get(pick(this.#random, SLICE_POOLS));
    const milli = pick(this.#random, SLICE_MILLI);
    const memoryMiB = (milli * (pool?.cardMemoryMiB ?? 0)) / 1000;
    const amount = Math.ceil(memoryMiB / SLICE_STEP_MIB) * SLICE_STEP_MIB;
    // Two of three name a share of compute as well.
    const computeMilli = this.#random.below(3) < 2 ? milli : 0;
    return {
      kind: 'slice',
      resource: NVIDIA_GPU,
      count: 1,
      models: [pool?.product ?? ''],
      memory: { unit: 'mib', amount },
      computeMilli,
    };
  }
}

function requestOf(cores: number, cards: CardRequest, region: string | null): Request {
  const nodeSelector = new Map(region === null ? [] : [['topology.kubernetes.io/region', region]]);
  return {
    ...EMPTY_REQUEST,
    cpuMilli: cores * 1000,
    memoryBytes: cores * 4 * GIB,
    cards,
    constraints: { ...NO_CONSTRAINTS, nodeSelector },
  };
}

/** Thousandths of a card that a request takes of the cards it may use. */
export function cardsAskedMilli(request: Request): number {
  const { cards } = request;
  if (cards.kind === 'none') return 0;
  if (cards.kind !== 'slice') return cards.count * 1000;
  const pool = MACHINE_KINDS.find((kind) => kind.product === cards.models?.[0]);
  const memory =
    cards.memory.unit === 'mib' && pool !== undefined ? (1000 * cards.memory.amount) / pool.cardMemoryMiB : 0;
  return cards.count * Math.max(memory, cards.computeMilli);
}
