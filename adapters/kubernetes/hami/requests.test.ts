import type { Card, CardRequest } from '@springtide/core/model';
import { cardModel, cardResource } from '@springtide/core/vendors';
import { Book } from '@springtide/core/state';
import { aMachine } from '@springtide/testkit/builders';
import { kubePod } from '@springtide/testkit/kubectl';
import { describeWithShared } from '@springtide/testkit/shared';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { InputFault } from '../fault.ts';
import { fieldsAt, fieldsOf } from '../fields.ts';
import { readPod } from '../observed-pod.ts';
import { refuseBadParts } from './bad-parts.ts';
import { cardChoice } from './choice.ts';
import { REQUEST_DIFFERENCES, SELECTION_DIFFERENCES, SETTLED_BY_WEBHOOK } from './differences.ts';
import { HAMI_KEYS } from './keys.ts';

type Quantities = Readonly<Record<string, string>>;

/** What HAMi makes of a container's limits, per card. */
interface Resolved {
  readonly nums: number;
  readonly mem: number;
  readonly mem_percentage: number;
  readonly cores: number;
}

interface RequestVector {
  readonly name: string;
  readonly vendor: string;
  readonly config?: string;
  readonly limits: Quantities;
  readonly requests?: Quantities;
  readonly pod_annotations?: Quantities;
  readonly without_webhook: Resolved | null;
  readonly after_webhook?: Resolved | null;
  readonly webhook: { readonly error?: string; readonly limits?: Quantities };
}

function cardsOf(limits: Quantities, more: { requests?: Quantities; annotations?: Quantities } = {}): CardRequest {
  const { requests = {}, annotations = {} } = more;
  const containers = [{ name: 'c0', resources: { limits, requests } }];
  const pod = fieldsOf(kubePod('team-a/pod-a', null, { annotations, spec: { containers } }), null);
  refuseBadParts(fieldsAt(pod, 'spec'), new Map(Object.entries(annotations)));
  return readPod(pod, { tenantLabel: '' }).pod.request.cards;
}

/** A card of the resource of which size does not matter, so that what is asked can be compared as charges. */
function sampleCard(resource: string, isSoft = false): Card {
  const found = cardResource(resource);
  const model = found?.resource.impliedModel ?? '';
  const row = found === null ? null : cardModel(found.vendor, model);
  const hasTemplates = row !== null && row.templates !== null;
  return {
    id: 'card-0',
    vendor: found?.vendor.name ?? '',
    resource,
    model,
    memoryMiB: row?.memoryMiB ?? NOMINAL_MIB[resource] ?? 65536,
    computeMilli: 1000,
    sharesMax: 10,
    slicing: found?.resource.slices === null ? 'none' : hasTemplates && !isSoft ? 'template' : 'memory',
    island: 0,
    health: 'ok',
  };
}

/** What HAMi says of kinds of which the vendor table knows no product. */
const NOMINAL_MIB: Readonly<Record<string, number>> = {
  'enflame.com/gcu': 100,
  'enflame.com/drs-gcu': 43008,
  'aws.amazon.com/neuron': 0,
  'mthreads.com/vgpu': 49152,
};

interface Charge {
  readonly count: number;
  readonly memoryMiB: number;
  readonly computeMilli: number;
}

/** What is charged on each card; null: nothing is asked, or it is refused. */
function chargeOf(cards: CardRequest, card: Card): Charge | null {
  if (cards.kind === 'none') return null;
  const machine = { ...aMachine('m').build(), cards: [card] };
  const { pod } = readPod(fieldsOf(kubePod('a/b', null), null), { tenantLabel: '' });
  const [demand] = new Book([machine]).classOf({ ...pod.request, cards }).demands;
  if (demand === undefined || demand.refusal !== 0) return null;
  return { count: cards.count, memoryMiB: demand.memoryMiB, computeMilli: demand.computeMilli };
}

function chargeAsHami(resolved: Resolved, card: Card, limits: Quantities): Charge {
  const { nums, mem, mem_percentage: percent, cores } = resolved;
  const units = cardResource(card.resource)?.resource.slices?.computeUnits ?? 100;
  const computeMilli = Math.min(1000, Math.floor((cores * 1000) / units));
  const share = Math.floor((card.memoryMiB * Math.min(100, percent)) / 100);
  if (card.vendor !== 'enflame' || percent > 0) {
    return { count: nums, memoryMiB: mem > 0 ? mem : share, computeMilli };
  }
  // Slices of a card: HAMi keeps their number, or GiB, or percent, and makes slices of it when it places.
  const unit = 'enflame.com/drs-gcu' in limits ? 7168 : 1024;
  return { count: nums, memoryMiB: Math.max(mem * unit, Math.ceil((cores * card.memoryMiB) / 100)), computeMilli };
}

/** Kinds whose plug-ins are not told cores, or that have them by size: only memory compares. */
const BY_MEMORY = /^(?:Ascend|Biren|Vastai|kunlun|XPU|AWSNeuron|Metax-GPU|GCU|Enflame)/;

function isSame(vector: RequestVector, limits: Quantities): boolean {
  const want = vector.after_webhook === undefined ? vector.without_webhook : vector.after_webhook;
  const isRefused = want === null || want.nums <= 0 || vector.webhook.error !== undefined;
  const resource = HAMI_KEYS.find(({ word }) => word === vector.vendor)?.resource ?? '';
  const card = sampleCard(resource, vector.pod_annotations?.['huawei.com/vnpu-mode'] === 'hami-core');
  try {
    const more = { requests: vector.requests ?? {}, annotations: vector.pod_annotations ?? {} };
    const charge = chargeOf(cardsOf(limits, more), card);
    if (isRefused || charge === null) return isRefused && charge === null;
    const wanted = chargeAsHami(want, card, limits);
    const isMemory = wanted.count === charge.count && wanted.memoryMiB === charge.memoryMiB;
    return isMemory && (BY_MEMORY.test(vector.vendor) || wanted.computeMilli === charge.computeMilli);
  } catch (error) {
    if (error instanceof InputFault) return isRefused;
    throw error;
  }
}

interface SelectionVector {
  readonly name: string;
  readonly kind: 'uuid' | 'type' | 'weights' | 'policy-contains';
  readonly annotations?: Quantities;
  readonly card?: string;
  readonly allowed?: boolean;
  readonly policy?: string;
  readonly token?: string;
  readonly contains?: boolean;
  readonly encoded?: string;
}

function load(shared: string): { requests: RequestVector[]; selection: SelectionVector[] } {
  return JSON.parse(readFileSync(join(shared, 'cases', 'hami', 'protocol.json'), 'utf8')) as ReturnType<typeof load>;
}

describeWithShared('requests as HAMi reads them', (shared) => {
  const { requests, selection } = load(shared);
  const names = new Set([...requests, ...selection].map(({ name }) => name));

  test('every difference is of a vector', () => {
    const listed = Object.keys({ ...REQUEST_DIFFERENCES, ...SELECTION_DIFFERENCES });
    expect(listed.filter((name) => !names.has(name))).toEqual([]);
  });

  test.each(requests)('H3: without a webhook: $name', (vector) => {
    expect(isSame(vector, vector.limits)).toBe(!(vector.name in REQUEST_DIFFERENCES));
  });

  const changed = requests.filter(({ webhook }) => webhook.limits !== undefined);
  test.each(changed)('H3: after the webhook: $name', (vector) => {
    const differs = vector.name in REQUEST_DIFFERENCES && !SETTLED_BY_WEBHOOK.has(vector.name);
    expect(isSame(vector, vector.webhook.limits ?? {})).toBe(!differs);
  });

  const cards = selection.filter(({ kind }) => kind === 'uuid' || kind === 'type');
  test.each(cards)('H3: choice of cards: $name', ({ name, kind, annotations = {}, card: text = '', allowed }) => {
    const choice = cardChoice('nvidia.com/gpu', new Map(Object.entries(annotations)));
    const card = { ...sampleCard('nvidia.com/gpu'), ...(kind === 'uuid' ? { id: text } : { model: text }) };
    const book = new Book([{ ...aMachine('m').build(), cards: [card] }]);
    const { pod } = readPod(fieldsOf(kubePod('a/b', null), null), { tenantLabel: '' });
    const whole = { kind: 'whole', resource: 'nvidia.com/gpu', count: 1, models: null } as const;
    const request = { ...pod.request, cards: choice === null ? whole : { ...whole, choice } };
    const isAllowed = book.classOf(request).staticRefusal[0] === 0;
    expect(isAllowed === allowed).toBe(!(name in SELECTION_DIFFERENCES));
  });

  const policies = selection.filter(({ kind }) => kind === 'policy-contains');
  test.each(policies)('H3: policy $policy has $token', ({ name, policy = '', contains }) => {
    const choice = cardChoice('nvidia.com/gpu', new Map([['hami.io/gpu-scheduler-policy', policy]]));
    expect((choice?.isAlone === true) === contains).toBe(!(name in SELECTION_DIFFERENCES));
  });

  const weights = selection.filter(({ kind }) => kind === 'weights');
  test.each(weights)('H3: $name: they choose no cards and refuse nothing', ({ name, encoded = '' }) => {
    expect(cardChoice('nvidia.com/gpu', new Map([['hami.io/device-scoring-weights', encoded]]))).toBeNull();
    expect(name in SELECTION_DIFFERENCES).toBe(true);
  });
});

describe('what a pod cannot mean', () => {
  test.each<[string, Quantities, string]>([
    ['bytes where MiB are counted', { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '3Gi' }, 'nvidia.com/gpumem'],
    ['more than all', { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem-percentage': '101' }, 'nvidia.com/gpumem-percentage'],
    [
      'bytes of Ascend',
      { 'huawei.com/Ascend910B4': '1', 'huawei.com/Ascend910B4-memory': '16Gi' },
      'huawei.com/Ascend910B4-memory',
    ],
  ])('%s is refused with its field', (_, limits, key) => {
    try {
      cardsOf(limits);
      expect.unreachable('it is refused');
    } catch (error) {
      expect(error).toBeInstanceOf(InputFault);
      expect((error as InputFault).path?.key).toBe(key);
    }
  });

  test('cores without memory take the memory of the whole card', () => {
    expect(cardsOf({ 'nvidia.com/gpu': '1', 'nvidia.com/gpucores': '30' })).toEqual({
      kind: 'slice',
      resource: 'nvidia.com/gpu',
      count: 1,
      models: null,
      memory: { unit: 'milli', amount: 1000 },
      computeMilli: 300,
    });
  });
});
