import type { Random } from '../../base/index.ts';
import type { Book } from '../../state/index.ts';
import type { Policy } from '../policy.ts';
import { Tide, type TideOptions } from '../tide.ts';
import { bestFit } from './best-fit.ts';
import { dotProduct } from './dot-product.ts';
import { fgd, type TypicalRequest } from './fgd.ts';
import { gpuClustering } from './gpu-clustering.ts';
import { gpuPacking } from './gpu-packing.ts';
import { random } from './random.ts';
import { spread } from './spread.ts';

export interface PolicyInput {
  readonly book: Book;
  /** For `random`, and for ties where they are broken at random. */
  readonly chance: Random;
  /** FGD's typical requests; the others need none. */
  readonly typical?: readonly TypicalRequest[];
  readonly tide?: TideOptions;
  /** Break ties by chance instead of rank; `random` always does. */
  readonly randomTies?: boolean;
}

/** All placement policies by name. `tide` is ours and the default; the others are published peers. */
export const POLICIES = {
  random: ({ book, chance }: PolicyInput): Policy => random(book, chance),
  spread: ({ book }: PolicyInput): Policy => spread(book),
  'best-fit': ({ book }: PolicyInput): Policy => bestFit(book),
  'dot-product': ({ book }: PolicyInput): Policy => dotProduct(book),
  'gpu-clustering': ({ book }: PolicyInput): Policy => gpuClustering(book),
  'gpu-packing': ({ book }: PolicyInput): Policy => gpuPacking(book),
  fgd: ({ book, typical }: PolicyInput): Policy => fgd(book, typical ?? []),
  tide: ({ book, tide, randomTies }: PolicyInput): Tide => new Tide(book, tide, randomTies),
} as const;

export type PolicyName = keyof typeof POLICIES;
export const POLICY_NAMES = Object.keys(POLICIES) as PolicyName[];
export const DEFAULT_POLICY: PolicyName = 'tide';

/** A policy by name, its ties broken as asked. */
export function policyOf(name: PolicyName, input: PolicyInput): Policy {
  const policy = POLICIES[name](input);
  return input.randomTies === true && !policy.randomTies ? { ...policy, randomTies: true } : policy;
}

export function isPolicyName(name: string): name is PolicyName {
  return Object.hasOwn(POLICIES, name);
}

export * from './fgd.ts';
