import { mulberry32, shuffle } from '@springtide/core/base';
import type { Pod } from '@springtide/core/model';
import { Placer, POLICIES, type Policy } from '@springtide/core/placement';
import { Book } from '@springtide/core/state';
import { slicesFleet } from './fleet.ts';
import { hami } from './hami.ts';
import type { SliceArrival } from './requests.ts';

export const SLICE_POLICIES = ['hami-binpack', 'hami-spread', 'best-fit', 'tide'] as const;
export type SlicePolicy = (typeof SLICE_POLICIES)[number];

/** Memory allocated, in percent of capacity, when so many percent have been asked for. */
export type AllocatedAt = Readonly<Record<'95' | '130', number>>;

function policyOf(name: SlicePolicy, book: Book): Policy {
  if (name === 'hami-binpack') return hami(book, 'binpack');
  if (name === 'hami-spread') return hami(book, 'spread');
  return POLICIES[name]({ book, chance: mulberry32(0) });
}

/** Places arrivals one by one under a policy; what fits nowhere is dropped. Machine ranks are shuffled by seed. */
export function allocate(name: SlicePolicy, arrivals: readonly SliceArrival[], seed: number): AllocatedAt {
  const machines = slicesFleet();
  const order = shuffle(
    machines.map((machine) => machine.id),
    mulberry32(seed + 1000),
  );
  const book = new Book(machines, { order });
  const placer = new Placer({ book, policy: policyOf(name, book) });
  const capacityMiB = machines.flatMap((machine) => machine.cards).reduce((sum, card) => sum + card.memoryMiB, 0);
  let askedMiB = 0;
  let allocatedMiB = 0;
  let at95 = 0;
  arrivals.forEach(({ request, memoryMiB }, index) => {
    askedMiB += memoryMiB;
    if (placer.place(podOf(request, index)).ok) allocatedMiB += memoryMiB;
    if (askedMiB <= 0.95 * capacityMiB) at95 = allocatedMiB;
  });
  return { '95': (100 * at95) / capacityMiB, '130': (100 * allocatedMiB) / capacityMiB };
}

function podOf(request: SliceArrival['request'], index: number): Pod {
  const labels = new Map<string, string>();
  return { id: `${index}`, namespace: '', labels, service: '', serviceReplicas: 0, tenant: '', priority: 0, request };
}
