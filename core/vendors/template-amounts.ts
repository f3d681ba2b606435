import type { CardTemplate } from '../model/index.ts';
import { type CardOfVendor, cardModel } from './table.ts';
import type { SliceResources } from './vendor.ts';

/**
 * The resources by which a container asks for a template, made of one card resource; null: its plug-in cannot do it.
 * Amounts are rounded up to the plug-in's units and sizes, so that nobody gets less than the template says.
 */
export function templateAmounts(template: CardTemplate, card: CardOfVendor): ReadonlyMap<string, number> | null {
  const { resource } = card;
  const { slices } = resource;
  const count = [resource.name, template.cards] as const;
  // Shares that nothing sizes are parts of cards that nobody knows.
  if (template.granularity === 'whole')
    return resource.counts === 'shares' && slices === null ? null : new Map([count]);
  if (slices === null || slices.memory === '' || (slices.isOneCard && template.cards > 1)) return null;
  const memory = memoryUnits(template.memoryMiB, slices);
  if (memory === null) return null;
  const amounts = new Map<string, number>([count, [slices.memory, memory]]);
  if (template.computePercent > 0 && isComputeAsked(card, slices)) {
    amounts.set(slices.compute, Math.ceil((template.computePercent * slices.computeUnits) / 100));
  }
  if (template.granularity === 'shared' && slices.priority !== '') {
    amounts.set(slices.priority, template.priority ?? YIELDS);
  }
  return amounts;
}

/** Plug-ins count 0 as the priority that others wait for: whoever says nothing would be a slice. */
const YIELDS = 1;

function memoryUnits(memoryMiB: number, { sizesMiB, memoryUnitMiB }: SliceResources): number | null {
  const size = sizesMiB === null ? memoryMiB : sizesMiB.find((each) => each >= memoryMiB);
  return size === undefined ? null : Math.ceil(size / memoryUnitMiB);
}

/** Where a card is cut by the vendor's own templates, compute follows from memory. */
function isComputeAsked({ vendor, resource }: CardOfVendor, slices: SliceResources): boolean {
  if (slices.compute === '') return false;
  return resource.impliedModel === '' || (cardModel(vendor, resource.impliedModel)?.templates ?? null) === null;
}
