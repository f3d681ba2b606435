import type { AppliedObject } from '../client/apply.ts';

function template(name: string, spec: object): AppliedObject {
  return { apiVersion: 'springtide.io/v1alpha1', kind: 'CardTemplate', metadata: { name }, spec };
}

function whole(cards: number): AppliedObject {
  const description =
    cards === 1 ? 'a whole card / 一张整卡' : `${cards} whole cards of one machine / 同一台机器的 ${cards} 张整卡`;
  return template(`whole-${cards}`, { description, granularity: 'whole', cards });
}

function slice(gib: number, computePercent: number): AppliedObject {
  const description = `${gib} GiB and ${computePercent} % compute of a card / 一张卡的 ${gib} GiB 显存和 ${computePercent}% 算力`;
  return template(`slice-${gib}g`, {
    description,
    granularity: 'slice',
    cards: 1,
    memoryMiB: gib * 1024,
    computePercent,
  });
}

function shared(size: string, gib: number): AppliedObject {
  const description = `${gib} GiB of a card, compute as it is free, after others / 一张卡的 ${gib} GiB 显存，算力有空闲才用`;
  // HAMi's NVIDIA plug-in counts 0 as high and 1 as low.
  return template(`shared-${size}`, {
    description,
    granularity: 'shared',
    cards: 1,
    memoryMiB: gib * 1024,
    priority: 1,
  });
}

/** Installed for a start. To change one, copy it under another name: an upgrade sets these back. */
export const STARTER_TEMPLATES: readonly AppliedObject[] = [
  whole(1),
  whole(2),
  whole(4),
  whole(8),
  slice(5, 10),
  slice(10, 25),
  slice(20, 50),
  slice(40, 50),
  shared('small', 4),
  shared('medium', 8),
];
