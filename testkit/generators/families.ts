import * as fc from 'fast-check';
import { type CardChoice, type CardRequest, NO_CARDS, type SliceMemory } from '@springtide/core/model';
import { NVIDIA, PRODUCTS, type Product } from '../builders/index.ts';

/** Products and the requests that are made of them. A case keeps to one family, so that most pods fit somewhere. */
export interface Family {
  readonly products: readonly Product[];
  readonly cards: fc.Arbitrary<CardRequest>;
}

const COUNTS = fc.constantFrom(1, 1, 1, 2, 3, 4);
const SIZES_MIB = fc.constantFrom(1, 255, 2184, 5000, 8192, 10_240, 16_385, 20_480, 40_960, 46_068, 81_920, 100_000);
const MILLI = fc.constantFrom(1, 100, 142, 250, 333, 500, 750, 1000);

const MEMORY = fc.oneof(
  SIZES_MIB.map((amount): SliceMemory => ({ unit: 'mib', amount })),
  MILLI.map((amount): SliceMemory => ({ unit: 'milli', amount })),
  fc.constant<SliceMemory>({ unit: 'none' }),
);

/** What all requests for cards of one resource share; some name or prefer products. */
type Base = Pick<
  Extract<CardRequest, { readonly kind: 'whole' }>,
  'resource' | 'count' | 'models' | 'preferredModels' | 'choice'
>;

/** Cards by name, by words of their product and by how they are cut; one request in eight chooses. */
const CHOICES = fc.constantFrom<CardChoice>(
  { ids: ['m0/0', 'm1/1', 'm2/0'] },
  { ids: ['no such card'] },
  { idsDenied: ['m0/0', 'm1/0'] },
  { words: ['a100', 'ascend', '910b3'] },
  { wordsDenied: ['40GB', ''] },
  { slicings: ['memory', 'template'] },
  { isAlone: true },
);

function bases(resource: string, models: readonly string[]): fc.Arbitrary<Base> {
  const allowed = [null, null, null, null, models.slice(0, 1), models.toReversed(), ['no such model']];
  const preferred = [[], [], models.slice(0, 1), models.toReversed()];
  const base = fc.record({
    resource: fc.constant(resource),
    count: COUNTS,
    models: fc.constantFrom(...allowed),
    preferredModels: fc.constantFrom(...preferred),
  });
  const choosing = fc
    .tuple(base, fc.record({ choice: CHOICES }))
    .map(([plain, chosen]): Base => Object.assign(plain, chosen));
  return fc.oneof({ weight: 7, arbitrary: base }, { weight: 1, arbitrary: choosing });
}

/** The ways of asking for cards of one resource. */
class Requests {
  readonly #base: fc.Arbitrary<Base>;

  constructor(resource: string, models: readonly string[]) {
    this.#base = bases(resource, models);
  }

  /** The base with what a kind of request says beyond it. */
  #kind(more: fc.Arbitrary<object>): fc.Arbitrary<CardRequest> {
    return fc.tuple(this.#base, more).map(merged);
  }

  whole(): fc.Arbitrary<CardRequest> {
    return this.#kind(fc.constant({ kind: 'whole' }));
  }

  slice(): fc.Arbitrary<CardRequest> {
    const computeMilli = fc.constantFrom(0, 1, 100, 142, 250, 500, 1000);
    const slice = fc.record({ kind: fc.constant('slice'), memory: MEMORY, computeMilli });
    const priority = fc.nat(2);
    const shared = fc.record({ kind: fc.constant('shared'), memory: MEMORY, computeMilli, priority });
    return this.#kind(fc.oneof({ weight: 2, arbitrary: slice }, { weight: 1, arbitrary: shared }));
  }

  mig(profiles: readonly string[]): fc.Arbitrary<CardRequest> {
    return this.#kind(fc.record({ kind: fc.constant('mig'), profile: fc.constantFrom(...profiles) }));
  }

  template(templates: readonly string[]): fc.Arbitrary<CardRequest> {
    return this.#kind(fc.record({ kind: fc.constant('template'), template: fc.constantFrom(...templates) }));
  }
}

function merged([base, more]: [Base, object]): CardRequest {
  return { ...base, ...more } as CardRequest;
}

const WITHOUT = fc.constant(NO_CARDS);

function family(
  products: readonly Product[],
  cardsOf: (requests: Requests) => readonly fc.Arbitrary<CardRequest>[],
): Family {
  const requests = new Requests(products[0]?.resource ?? NVIDIA, [...new Set(products.map(({ model }) => model))]);
  const cards = cardsOf(requests).map((arbitrary) => ({ weight: 4, arbitrary }));
  return { products, cards: fc.oneof({ weight: 1, arbitrary: WITHOUT }, ...cards) };
}

const SEVEN = ['1g.10gb', '1g.20gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb'];

/** Cards cut by memory and compute. */
const CUT_BY_MEMORY = [PRODUCTS.a100, PRODUCTS.l40s, PRODUCTS.unknown, PRODUCTS.t4];

export const MEMORY_FAMILY = family(CUT_BY_MEMORY, (requests) => [
  requests.whole(),
  requests.slice(),
  requests.slice(),
]);

/** The same, with cards that shared pods may be promised more of than there is. */
export const SHARED_FAMILY = family([PRODUCTS.a100Shared, PRODUCTS.l40sShared, ...CUT_BY_MEMORY], (requests) => [
  requests.whole(),
  requests.slice(),
  requests.slice(),
]);

export const WHOLE_FAMILY = family([PRODUCTS.a100, PRODUCTS.t4], (requests) => [requests.whole()]);

export const MIG_FAMILIES: readonly Family[] = [
  family([PRODUCTS.a100Mig, PRODUCTS.h100Mig], (requests) => [requests.mig(SEVEN)]),
  family([PRODUCTS.a30Mig], (requests) => [requests.mig(['1g.6gb', '2g.12gb', '4g.24gb'])]),
  family([PRODUCTS.rtxPro6000Mig], (requests) => [requests.mig(['1g.24gb', '2g.48gb', '4g.96gb'])]),
];

/** Ascend chips, each with a resource of its own. */
export const TEMPLATE_FAMILIES: readonly Family[] = [
  family([PRODUCTS.ascend910B2], (requests) => [
    requests.template(['vir03_1c_8g', 'vir06_1c_16g', 'vir12_3c_32g', 'no such template']),
    requests.slice(),
    requests.whole(),
  ]),
  family([PRODUCTS.ascend910B3], (requests) => [requests.template(['vir05_1c_16g', 'vir10_3c_32g']), requests.slice()]),
  family([PRODUCTS.ascend310P], (requests) => [requests.template(['vir01', 'vir02', 'vir04']), requests.whole()]),
];

/** One resource, cut in every way at once. */
const NVIDIA_FAMILY = family(
  [PRODUCTS.a100, PRODUCTS.a100Mig, PRODUCTS.h100Mig, PRODUCTS.t4, PRODUCTS.unknown],
  (requests) => [requests.whole(), requests.slice(), requests.mig(SEVEN)],
);

const EVERYTHING: Family = {
  products: Object.values(PRODUCTS),
  cards: fc.oneof(NVIDIA_FAMILY.cards, ...TEMPLATE_FAMILIES.map(({ cards }) => cards)),
};

export const ALL_FAMILIES: readonly Family[] = [
  MEMORY_FAMILY,
  SHARED_FAMILY,
  SHARED_FAMILY,
  WHOLE_FAMILY,
  ...MIG_FAMILIES,
  ...TEMPLATE_FAMILIES,
  NVIDIA_FAMILY,
  NVIDIA_FAMILY,
  EVERYTHING,
];
