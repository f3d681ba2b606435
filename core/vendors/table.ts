import { AMD } from './amd.ts';
import { ASCEND } from './ascend.ts';
import { BIREN } from './biren.ts';
import { CAMBRICON } from './cambricon.ts';
import { ENFLAME } from './enflame.ts';
import { HYGON } from './hygon.ts';
import { ILUVATAR } from './iluvatar.ts';
import { KUNLUNXIN } from './kunlunxin.ts';
import { METAX } from './metax.ts';
import { type MigProfile, type MigTable, plainProfile } from './mig.ts';
import { MOORE_THREADS } from './moore-threads.ts';
import { NEURON } from './neuron.ts';
import { NVIDIA } from './nvidia.ts';
import type { Template, TemplateTable } from './templates.ts';
import { VASTAI } from './vastai.ts';
import type { CardModel, CardResource, Vendor } from './vendor.ts';

/** Every vendor the house knows (H1). A new one is one more row file, and this line. */
export const VENDORS: readonly Vendor[] = [
  NVIDIA,
  ASCEND,
  HYGON,
  CAMBRICON,
  MOORE_THREADS,
  METAX,
  ILUVATAR,
  KUNLUNXIN,
  ENFLAME,
  BIREN,
  AMD,
  VASTAI,
  NEURON,
];

export interface CardOfVendor {
  readonly vendor: Vendor;
  readonly resource: CardResource;
}

const CARDS: ReadonlyMap<string, CardOfVendor> = new Map(
  VENDORS.flatMap((vendor) => vendor.cards.map((resource) => [resource.name, { vendor, resource }] as const)),
);

/** Memory, percentage, compute and priority names, each with the card resource whose slices they size. */
const PARTS: ReadonlyMap<string, CardOfVendor> = new Map(
  [...CARDS.values()].flatMap((card) => partNames(card.resource).map((name) => [name, card] as const)),
);

function partNames(resource: CardResource): string[] {
  const { slices } = resource;
  if (slices === null) return [];
  return [slices.memory, slices.percentage, slices.compute, slices.priority].filter((name) => name !== '');
}

/** The vendor and card resource that a resource name stands for; null when it is no card of the table. */
export function cardResource(name: string): CardOfVendor | null {
  return CARDS.get(name) ?? null;
}

/** The card resource whose slices the named resource sizes (`nvidia.com/gpumem` -> `nvidia.com/gpu`), else null. */
export function sliceOwner(name: string): CardOfVendor | null {
  return PARTS.get(name) ?? null;
}

/** Whether one unit of the resource is a slice cut beforehand, such as a MIG instance. */
export function isInstanceResource(name: string): boolean {
  return VENDORS.some((vendor) => vendor.instances?.test(name) === true);
}

/** Whether a vendor of the table uses the name, as card, part, instance or otherwise. */
export function isVendorResource(name: string): boolean {
  if (CARDS.has(name) || PARTS.has(name) || isInstanceResource(name)) return true;
  return VENDORS.some((vendor) => vendor.otherResources.includes(name));
}

/** The first row whose words all occur in the product name. Case, hyphens and blanks do not matter. */
export function cardModel(vendor: Vendor, name: string): CardModel | null {
  const words = modelWords(name);
  return vendor.models.find((row) => row.words.every((word) => words.has(word))) ?? null;
}

function modelWords(name: string): Set<string> {
  const parts = name.toUpperCase().split(/[^A-Z0-9]+/);
  return new Set(parts.map((part) => part.replace(/^ASCEND(?=\d)/, '')).filter((part) => part !== ''));
}

/** The MIG table of an NVIDIA product; null where it cannot be cut. */
export function migTable(model: string): MigTable | null {
  return cardModel(NVIDIA, model)?.mig ?? null;
}

/** Placement and size of a MIG profile such as `1g.10gb` on a product; null when the product has no such profile. */
export function migProfile(model: string, profile: string): MigProfile | null {
  return migTable(model)?.profiles.get(plainProfile(profile)) ?? null;
}

/** The templates of an Ascend product and what they are cut from; null where there are none. */
export function templateTable(model: string): TemplateTable | null {
  return cardModel(ASCEND, model)?.templates ?? null;
}

export function template(model: string, name: string): Template | null {
  return templateTable(model)?.templates.find((row) => row.name === name) ?? null;
}

/** The smallest template with at least so much memory; null: only a whole card has it, or nothing has. */
export function templateFor(model: string, memoryMiB: number): Template | null {
  return templateTable(model)?.templates.find((row) => row.memoryMiB >= memoryMiB) ?? null;
}
