import type { CardRequest, Request, SliceMemory } from '@springtide/core/model';
import { message } from '../messages/index.ts';
import type { Wording } from './refusals.ts';
import { bytesText, coresText, grouped, mibText, percentText } from './units.ts';

/** What a pod asks for, in a line: `2 × nvidia.com/gpu, 8 CPU cores, 64 GiB memory`. */
export function requestText(wording: Wording, request: Request): string {
  const { language } = wording;
  const { cards, cpuMilli, memoryBytes, resources } = request;
  const parts: string[] = [];
  if (cards.kind !== 'none') parts.push(cardsText(wording, cards));
  if (cpuMilli > 0) parts.push(message(language, 'cluster.request.cpu', { amount: coresText(cpuMilli) }));
  if (memoryBytes > 0) parts.push(message(language, 'cluster.request.memory', { amount: bytesText(memoryBytes) }));
  for (const [resource, amount] of resources) {
    parts.push(message(language, 'cluster.request.other', { amount: grouped(amount), resource }));
  }
  return parts.length === 0 ? message(language, 'cluster.request.nothing') : joined(wording, parts);
}

/** The labels that a request asks for by node selector, which usually name the card model. */
export function selectorTexts({ constraints }: Request): string[] {
  return [...constraints.nodeSelector].map(([key, value]) => `${key}=${value}`);
}

function joined({ language }: Wording, parts: readonly string[]): string {
  return parts.join(language === 'zh' ? '，' : ', ');
}

export function cardsText(wording: Wording, cards: Exclude<CardRequest, { kind: 'none' }>): string {
  const { language, modelName = (model: string) => model } = wording;
  const count = grouped(cards.count);
  const { resource, models } = cards;
  const whole =
    models === null
      ? message(language, 'cluster.request.cards', { count, resource })
      : message(language, 'cluster.request.cardsOfModel', {
          count,
          resource,
          models: models.map(modelName).join(', '),
        });
  const parts = partsOf(wording, cards);
  return parts.length === 0
    ? whole
    : message(language, 'cluster.request.ofEach', { cards: whole, parts: joined(wording, parts) });
}

function partsOf({ language }: Wording, cards: Exclude<CardRequest, { kind: 'none' }>): string[] {
  switch (cards.kind) {
    case 'whole':
      return [];
    case 'mig':
      return [message(language, 'cluster.request.instance', { name: cards.profile })];
    case 'template':
      return [message(language, 'cluster.request.instance', { name: cards.template })];
    case 'slice':
    case 'shared': {
      const compute =
        cards.computeMilli > 0
          ? [message(language, 'cluster.request.compute', { percent: percentText(cards.computeMilli) })]
          : [];
      const shared = cards.kind === 'shared' ? [message(language, 'cluster.request.shared')] : [];
      return [...memoryText(language, cards.memory), ...compute, ...shared];
    }
  }
}

function memoryText(language: Wording['language'], memory: SliceMemory): string[] {
  switch (memory.unit) {
    case 'none':
      return [];
    case 'mib':
      return [message(language, 'cluster.request.mib', { amount: mibText(memory.amount) })];
    case 'milli':
      return [message(language, 'cluster.request.memoryShare', { percent: percentText(memory.amount) })];
  }
}
