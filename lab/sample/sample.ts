import { mulberry32 } from '@springtide/core/base';
import type { Machine } from '@springtide/core/model';
import { sampleFleet } from './fleet.ts';
import { sampleWork, type WorkUnit } from './work.ts';

export const SAMPLE_SEED = 1;

/** A fleet and a day of work on it. */
export interface Sample {
  readonly seed: number;
  readonly machines: readonly Machine[];
  readonly cardCount: number;
  /** By arrival. */
  readonly work: readonly WorkUnit[];
}

/** On average the day asks for this share of the cards; its afternoon asks for more than there are. */
const JOB_LOAD = 0.45;
const SERVICE_LOAD = 0.34;

/** Makes the sample of a seed: the same bytes on every machine, from nothing but the seed. */
export function makeSample(seed: number = SAMPLE_SEED): Sample {
  const random = mulberry32(seed);
  const machines = sampleFleet(random);
  const cardCount = machines.reduce((sum, machine) => sum + machine.cards.length, 0);
  const loads = { capacityMilli: cardCount * 1000, jobLoad: JOB_LOAD, serviceLoad: SERVICE_LOAD };
  return { seed, machines, cardCount, work: sampleWork(random, loads) };
}
