import type {
  DeviceTrouble,
  DeviceTroubleKind,
  FilterName,
  Obstacle,
  RefusalCount,
  Remedy,
  VolumeTrouble,
} from '@springtide/core/model';
import { message, type Language } from '../messages/index.ts';
import { bytesText, coresText, grouped, mibText, percentText } from './units.ts';

/** How a text is to be written. */
export interface Wording {
  readonly language: Language;
  /** Name of a card model for readers; as the cluster has it when left out. */
  readonly modelName?: (model: string) => string;
}

/** `12 machines`. */
export function machinesText({ language }: Wording, count: number): string {
  return message(language, 'refusal.machines', { count: grouped(count) });
}

/** What a filter says of the machines that it refuses: `too little free CPU`. */
export function filterText({ language }: Wording, filter: FilterName): string {
  return message(language, `refusal.filter.${filter}`);
}

export function refusalText(wording: Wording, { filter, machines }: RefusalCount): string {
  const colon = wording.language === 'zh' ? '：' : ': ';
  return `${machinesText(wording, machines)}${colon}${filterText(wording, filter)}`;
}

type NeedKey =
  | 'unschedulable'
  | 'reserved'
  | 'pods'
  | 'tenant'
  | 'service'
  | 'hostPort'
  | 'podAffinity'
  | 'podAntiAffinity'
  | 'topologySpread'
  | 'volumeInUse'
  | 'cardChoice'
  | 'device'
  | 'cardLimit';

/** Needs that take neither an amount nor a name. */
const PLAIN: Partial<Record<FilterName, NeedKey>> = {
  unschedulable: 'unschedulable',
  reserved: 'reserved',
  pods: 'pods',
  tenant: 'tenant',
  'service-machine': 'service',
  'service-rack': 'service',
  'host-port': 'hostPort',
  'pod-affinity': 'podAffinity',
  'pod-anti-affinity': 'podAntiAffinity',
  'topology-spread': 'topologySpread',
  'volume-in-use': 'volumeInUse',
  'card-choice': 'cardChoice',
  device: 'device',
  'card-limit': 'cardLimit',
};

/** The amount of an obstacle or remedy in its own unit. */
export function amountText({ resource, missing }: Pick<Obstacle, 'resource' | 'missing'>): string {
  switch (resource) {
    case 'cpuMilli':
      return coresText(missing);
    case 'memoryBytes':
      return bytesText(missing);
    case 'sliceMiB':
      return mibText(missing);
    case 'computeMilli':
      return percentText(missing);
    default:
      return grouped(missing);
  }
}

/** What a machine with this obstacle would need: `3 more CPU cores`. */
export function needText(wording: Wording, obstacle: Omit<Obstacle, 'isBeyond'>): string {
  const { language } = wording;
  const { filter, resource } = obstacle;
  const amount = amountText(obstacle);
  const plain = PLAIN[filter];
  if (plain !== undefined) return message(language, `refusal.need.${plain}`);
  switch (filter) {
    case 'taint':
      return message(language, 'refusal.need.taint', { what: resource });
    case 'selector':
      return message(language, 'refusal.need.selector', { what: resource });
    case 'pool':
      return message(language, 'refusal.need.pool', { what: resource });
    case 'pool-asked':
      return message(language, 'refusal.need.poolAsked', { what: resource });
    case 'card-model':
      return message(language, 'refusal.need.cardModel', { what: resource });
    case 'cpu':
      return message(language, 'refusal.need.cpu', { amount });
    case 'memory':
      return message(language, 'refusal.need.memory', { amount });
    case 'resource':
      return message(language, 'refusal.need.resource', { amount, what: resource });
    case 'cards':
      return message(language, resource === 'unhealthy' ? 'refusal.need.unhealthy' : 'refusal.need.cards', { amount });
    case 'volume':
      return volumeNeed(language, resource);
    case 'slice':
      return sliceNeed(language, resource, amount);
    default:
      return filterText(wording, filter);
  }
}

function sliceNeed(language: Language, resource: string, amount: string): string {
  if (resource === 'sliceMiB') return message(language, 'refusal.need.sliceMiB', { amount });
  if (resource === 'computeMilli') return message(language, 'refusal.need.computeMilli', { amount });
  return message(language, resource === 'cards' ? 'refusal.need.cards' : 'refusal.need.slice', { amount });
}

const VOLUME_NEEDS = {
  missing: 'volumeMissing',
  going: 'volumeGoing',
  lost: 'volumeLost',
  unbound: 'volumeUnbound',
} as const satisfies Record<VolumeTrouble, string>;

/** `resource` is empty, or `missing data-0`. */
function volumeNeed(language: Language, resource: string): string {
  const [kind = '', what = ''] = resource.split(' ');
  if (!isTrouble(kind)) return message(language, 'refusal.need.volume');
  return message(language, `refusal.need.${VOLUME_NEEDS[kind]}`, { what });
}

function isTrouble(kind: string): kind is VolumeTrouble {
  return kind in VOLUME_NEEDS;
}

const CLAIM_TROUBLES = {
  missing: 'missing',
  'not-made': 'notMade',
  foreign: 'foreign',
  going: 'going',
  full: 'full',
  class: 'class',
  selector: 'selector',
  'selector-fails': 'selectorFails',
  unsupported: 'unsupported',
} as const satisfies Record<DeviceTroubleKind, string>;

/** What is wrong with a resource claim, and what would help. */
export function claimText({ language }: Wording, { kind, claim, path, detail }: DeviceTrouble): string {
  return message(language, `refusal.claim.${CLAIM_TROUBLES[kind]}`, { claim, path, detail });
}

/** Taints that Kubernetes puts on machines in trouble: no toleration would help the pod. */
const NODE_TROUBLE =
  /^node\.kubernetes\.io\/(?:not-ready|unreachable|disk-pressure|memory-pressure|pid-pressure|network-unavailable|out-of-service)(?=[:=])/;

/** One change that would help: `3 more CPU cores on any of 12 machines with 2 free A100`. */
export function remedyText(wording: Wording, remedy: Remedy): string {
  const text = ownText(wording, remedy);
  if (text !== null) return text;
  const { language } = wording;
  const need = needText(wording, remedy);
  const there = message(language, 'refusal.remedy.there', { need, place: placeText(wording, remedy) });
  if (remedy.machines === remedy.opened) return there;
  return message(language, 'refusal.remedy.lackOnlyThat', {
    remedy: there,
    machines: machinesText(wording, remedy.machines),
  });
}

/** Remedies that are not about something free on a machine have sentences of their own. */
function ownText(wording: Wording, remedy: Remedy): string | null {
  const { language } = wording;
  const { filter, resource: what, nearest: machine, machines: count } = remedy;
  const machines = machinesText(wording, count);
  switch (filter) {
    case 'unschedulable':
      if (count === 1) return message(language, 'refusal.remedy.unschedulable', { machine });
      return message(language, 'refusal.remedy.unschedulableAny', { machine, count: grouped(count) });
    case 'taint':
      if (!NODE_TROUBLE.test(what)) return message(language, 'refusal.remedy.taint', { what, machines });
      if (count === 1) return message(language, 'refusal.remedy.taintOfNode', { machine, what });
      return message(language, 'refusal.remedy.taintOfNodeAny', { machine, what, count: grouped(count) });
    case 'selector':
      return message(language, 'refusal.remedy.selector', { what, machines });
    case 'volume':
      // What is wrong with a claim is wrong everywhere.
      return what === '' ? null : needText(wording, remedy);
    case 'volume-in-use':
    case 'card-limit':
      return needText(wording, remedy);
    case 'pool':
      return message(language, 'refusal.remedy.pool', { what, machines });
    case 'pool-asked':
      return message(language, 'refusal.remedy.poolAsked', { what, machines });
    case 'card-choice':
      return message(language, 'refusal.remedy.cardChoice', { machines });
    case 'card-model':
      return message(language, 'refusal.remedy.cardModel', { model: nameOf(wording, remedy.model), machines });
    default:
      return null;
  }
}

function nameOf({ modelName }: Wording, model: string): string {
  return modelName === undefined ? model : modelName(model);
}

/** Where: the one machine, or how many; and how many cards are free there, when cards are not what is missing. */
function placeText(wording: Wording, remedy: Remedy): string {
  const { language } = wording;
  const { nearest: machine, opened, cardsFree, filter } = remedy;
  const count = grouped(opened);
  const isAboutCards = filter === 'cards' || filter === 'slice';
  if (isAboutCards || cardsFree === 0 || remedy.model === '') {
    return opened === 1
      ? message(language, 'refusal.place.one', { machine })
      : message(language, 'refusal.place.any', { count });
  }
  const free = { cards: grouped(cardsFree), model: nameOf(wording, remedy.model) };
  return opened === 1
    ? message(language, 'refusal.place.oneWith', { machine, ...free })
    : message(language, 'refusal.place.anyWith', { count, ...free });
}

/** What no machine could give even when it is empty. */
export function beyondText({ language }: Wording, obstacle: Obstacle): string {
  const amount = amountText(obstacle);
  switch (obstacle.filter) {
    case 'cpu':
      return message(language, 'refusal.beyond.cpu', { amount });
    case 'memory':
      return message(language, 'refusal.beyond.memory', { amount });
    case 'resource':
      return message(language, 'refusal.beyond.resource', { amount, what: obstacle.resource });
    default:
      return message(language, 'refusal.beyond.cards', { amount });
  }
}
