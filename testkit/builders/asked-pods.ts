import type { CardTemplate } from '@springtide/core/model';
import type { AskedPods } from '@springtide/ports/admission';

/** A pod as it is asked for, of one container with these limits; `more` says the rest. */
export function anAskedPod(limits: Readonly<Record<string, string>> = {}, more: Partial<AskedPods> = {}): AskedPods {
  const prefix = more.prefix ?? '';
  const field = `${prefix}spec.containers[0]`;
  const cards = Object.entries(limits).map(([resource, text]) => {
    const amount = /^\d+$/.test(text) ? Number(text) : bytesOf(text);
    return { resource, text, amount, field: `${field}.resources.limits["${resource}"]` };
  });
  return {
    prefix,
    template: { own: '', ofPods: '', former: '' },
    hasAnnotatedTemplate: false,
    vendor: '',
    pool: '',
    schedulerName: 'default-scheduler',
    containers: [{ field, cards }],
    mainContainer: 0,
    tolerations: [],
    ...more,
  };
}

function bytesOf(text: string): number {
  const [, digits = '0', unit = 'Gi'] = /^(\d+)(Ki|Mi|Gi)$/.exec(text) ?? [];
  return Number(digits) * 1024 ** (['Ki', 'Mi', 'Gi'].indexOf(unit) + 1);
}

export function aCardTemplate(name: string, part: Partial<CardTemplate> = {}): CardTemplate {
  const size = { cards: 1, memoryMiB: 0, computePercent: 0, priority: null };
  return { name, granularity: 'whole', ...size, resources: [], tolerations: [], pool: '', ...part };
}
