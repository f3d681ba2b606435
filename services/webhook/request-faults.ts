import { type CardOfVendor, cardResource, sliceOwner } from '@springtide/core/vendors';
import type { AskedContainer, AskedPods, AskedResource, CardCatalogue } from '@springtide/ports/admission';
import { type Said, said } from '@springtide/wire/messages';

export type Cards = ReturnType<CardCatalogue['cards']>;

export interface RequestFaults {
  /** What no card of any cluster can give; null: nothing. */
  readonly refusal: Said | null;
  /** What will be taken, and hardly as it was meant. */
  readonly warnings: readonly Said[];
}

/** Memory of one card that none has: a TiB. */
const CARD_MIB_MAX = 1 << 20;

/** Looks at how much of its cards a pod asks for. O(resources). */
export function requestFaults({ containers }: AskedPods, cards: Cards): RequestFaults {
  const warnings: Said[] = [];
  for (const container of containers) {
    for (const asked of container.cards) {
      const owner = sliceOwner(asked.resource);
      if (owner === null || asked.amount === null) continue;
      const refusal = partFault(asked, asked.amount, owner);
      if (refusal !== null) return { refusal, warnings: [] };
      warnings.push(...partWarnings(asked, owner, container, cards));
    }
  }
  const kinds = new Set(
    containers.flatMap(({ cards: asked }) =>
      asked.map(({ resource, amount }) => (amount === 0 ? '' : cardOf(resource))),
    ),
  );
  kinds.delete('');
  if (kinds.size > 1) warnings.push(said('admission.request.kinds', { kinds: [...kinds].join(', ') }));
  // Limits and requests say the same twice.
  const told = new Map(warnings.map((each) => [`${each.key} ${String(each.values['resource'] ?? '')}`, each]));
  return { refusal: null, warnings: [...told.values()] };
}

/** The card resource that a name stands for, or sizes the slices of; empty: slices that were cut beforehand. */
function cardOf(resource: string): string {
  return (cardResource(resource) ?? sliceOwner(resource))?.resource.name ?? '';
}

function partFault({ resource, text, field }: AskedResource, amount: number, owner: CardOfVendor): Said | null {
  const { slices } = owner.resource;
  if (slices === null) return null;
  if (resource === slices.percentage && amount > 100) return said('admission.request.percent', { field, found: text });
  if (resource === slices.compute && amount > slices.computeUnits) {
    return said('admission.request.compute', { field, found: text, most: slices.computeUnits });
  }
  if (resource !== slices.memory || amount * slices.memoryUnitMiB <= CARD_MIB_MAX) return null;
  const unit = slices.memoryUnitMiB;
  const right = Math.ceil(amount / 2 ** 20 / unit);
  // As many bytes as a card may have: whoever wrote a suffix meant bytes.
  if (!/[A-Za-z]$/.test(text) || right * unit > CARD_MIB_MAX) {
    return said('admission.request.memory', { field, found: text, unit });
  }
  return said('admission.request.memorySuffix', { field, found: text, unit, right });
}

function partWarnings(asked: AskedResource, owner: CardOfVendor, container: AskedContainer, cards: Cards): Said[] {
  const { slices, name } = owner.resource;
  const { resource, text, field, amount } = asked;
  if (slices === null || amount === null || amount === 0) return [];
  const most = cards.get(name)?.memoryMiBMax ?? 0;
  if (resource === slices.memory && most > 0 && amount * slices.memoryUnitMiB > most) {
    return [said('admission.request.largest', { field, found: text, resource: name, most })];
  }
  const isAlone = !container.cards.some((each) => [slices.memory, slices.percentage].includes(each.resource));
  if (resource !== slices.compute || !isAlone || amount >= slices.computeUnits) return [];
  return [said('admission.request.computeOnly', { field, memory: slices.memory })];
}
