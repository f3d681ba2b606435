import * as fc from 'fast-check';
import type { Constraints, Machine, Pod } from '@springtide/core/model';
import { ALL_FAMILIES, type Family } from './families.ts';
import { type FleetOptions, fleets } from './fleets.ts';
import { pods } from './pods.ts';
import { requests } from './requests.ts';

export interface Scene {
  readonly machines: readonly Machine[];
  readonly pods: readonly Pod[];
}

export interface SceneOptions extends Omit<FleetOptions, 'products'> {
  readonly families?: readonly Family[];
  readonly podsMax?: number;
  readonly constraints?: fc.Arbitrary<Constraints>;
}

/** A fleet and pods that want some of it, of one family at a time. */
export function scenes(options: SceneOptions = {}): fc.Arbitrary<Scene> {
  const { families = ALL_FAMILIES, podsMax, constraints, ...fleet } = options;
  return fc.oneof(
    ...families.map(({ products, cards }) =>
      fc.record({ machines: fleets({ ...fleet, products }), pods: pods(requests(cards, constraints), podsMax) }),
    ),
  );
}
