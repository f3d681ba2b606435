import type { Random } from '@springtide/core/base';
import type { Pod, Request } from '@springtide/core/model';
import { between, logNormal, pick, type Weighted } from './chance.ts';
import { cardsAskedMilli, RequestDraws, type Size } from './requests.ts';

export const HOUR_MS = 3_600_000;
/** The work begins half a day early, so that the day starts with machines in use. */
export const WARM_UP_MS = 12 * HOUR_MS;
export const DAY_MS = 24 * HOUR_MS;

/** What starts and ends together: a job of one pod, a replica of a service, or a gang. */
export interface WorkUnit {
  readonly id: string;
  readonly kind: Size | 'gang' | 'service';
  /** From midnight; negative in the warm-up. */
  readonly arrivalMs: number;
  readonly durationMs: number;
  readonly pods: readonly Pod[];
  /** Thousandths of a card that all its pods ask for. */
  readonly cardsMilli: number;
}

/** Jobs by size. openb-2023: 38 % share a card, 13 % use none; Philly: about 2 % each with 2, 4 and 8 cards, few more. */
const JOB_SIZES: Weighted<Size | 'gang'> = [
  ['cpu', 120],
  ['slice', 360],
  ['one', 440],
  ['two', 28],
  ['four', 24],
  ['eight', 20],
  ['gang', 8],
];

const SERVICE_SIZES: Weighted<Size> = [
  ['slice', 50],
  ['one', 32],
  ['two', 10],
  ['four', 6],
  ['eight', 2],
];

/** Run times: half of them under a quarter of an hour, a mean of an hour and a half (Philly, Helios, PAI). */
const JOB_MEDIAN_MS = HOUR_MS / 4;
const JOB_SIGMA = 1.9;
const JOB_SHORTEST_MS = 30_000;
const JOB_LONGEST_MS = 2 * DAY_MS;
/** Jobs on four cards and more run longer. */
const BIG_JOB_FACTOR = 3;

const GANG_MEMBERS: Weighted<number> = [
  [2, 45],
  [3, 10],
  [4, 30],
  [8, 15],
];

/** Arrivals by hour of the day, 1 is the mean: people at work, two humps and an evening. */
const HOURLY = [
  0.55, 0.45, 0.4, 0.35, 0.35, 0.4, 0.5, 0.7, 1.0, 1.4, 1.6, 1.5, 1.15, 1.2, 1.6, 1.7, 1.6, 1.4, 1.2, 1.15, 1.2, 1.1,
  0.9, 0.65,
];

export interface WorkOptions {
  /** Cards in the fleet, in thousandths. */
  readonly capacityMilli: number;
  /** What jobs and services ask for on average over the day, as shares of the capacity. */
  readonly jobLoad: number;
  readonly serviceLoad: number;
}

/** A day of work, by arrival. */
export function sampleWork(random: Random, options: WorkOptions): WorkUnit[] {
  const draws = new RequestDraws(random);
  const units = [...services(random, draws, options), ...jobs(random, draws, options)];
  return units.toSorted((left, right) => left.arrivalMs - right.arrivalMs || (left.id < right.id ? -1 : 1));
}

/** Jobs until they ask for enough card time. One that outlives the day counts with the part inside it. */
function jobs(random: Random, draws: RequestDraws, { capacityMilli, jobLoad }: WorkOptions): WorkUnit[] {
  const units: WorkUnit[] = [];
  let left = jobLoad * capacityMilli * (DAY_MS + WARM_UP_MS);
  while (left > 0) {
    const unit = job(random, draws, units.length);
    units.push(unit);
    left -= unit.cardsMilli * Math.min(unit.durationMs, DAY_MS - unit.arrivalMs);
  }
  return units;
}

function job(random: Random, draws: RequestDraws, number: number): WorkUnit {
  const kind = pick(random, JOB_SIZES);
  const isBig = kind === 'four' || kind === 'eight' || kind === 'gang';
  const drawn = logNormal(random, JOB_MEDIAN_MS * (isBig ? BIG_JOB_FACTOR : 1), JOB_SIGMA);
  const durationMs = Math.round(Math.min(JOB_LONGEST_MS, Math.max(JOB_SHORTEST_MS, drawn)));
  const id = `job-${number + 1}`;
  const request = kind === 'gang' ? draws.draw('eight', draws.region()) : draws.draw(kind);
  const count = kind === 'gang' ? pick(random, GANG_MEMBERS) : 1;
  const pods = Array.from({ length: count }, (_, index) => podOf(count === 1 ? id : `${id}-${index}`, request));
  return { id, kind, arrivalMs: arrival(random), durationMs, pods, cardsMilli: count * cardsAskedMilli(request) };
}

function arrival(random: Random): number {
  const hours = Array.from({ length: (DAY_MS + WARM_UP_MS) / HOUR_MS }, (_, i) => i - WARM_UP_MS / HOUR_MS);
  const hour = pick(
    random,
    hours.map((each) => [each, HOURLY[(each + 24) % 24] ?? 1] as const),
  );
  return hour * HOUR_MS + random.below(HOUR_MS);
}

/** Services until their replicas ask for enough. A part of the replicas comes in the morning and leaves at night. */
function services(random: Random, draws: RequestDraws, { capacityMilli, serviceLoad }: WorkOptions): WorkUnit[] {
  const units: WorkUnit[] = [];
  let left = serviceLoad * capacityMilli;
  for (let number = 1; left > 0; number += 1) {
    const size = pick(random, SERVICE_SIZES);
    const request = draws.draw(size);
    const always = size === 'slice' || size === 'one' ? between(random, 2, 12) : between(random, 2, 4);
    const extra = Math.round(always * 0.4);
    const name = `service-${number}`;
    for (let index = 0; index < always + extra; index += 1) {
      const unit = replica(random, { name, replicas: always + extra, request }, index, index >= always);
      units.push(unit);
      left -= unit.cardsMilli * (index >= always ? 0.6 : 1);
    }
  }
  return units;
}

interface Service {
  readonly name: string;
  readonly replicas: number;
  readonly request: Request;
}

function replica(random: Random, service: Service, index: number, isExtra: boolean): WorkUnit {
  const id = `${service.name}-${index}`;
  const arrivalMs = isExtra ? 7 * HOUR_MS + random.below(3 * HOUR_MS) : random.below(2 * HOUR_MS) - WARM_UP_MS;
  const endMs = isExtra ? 21 * HOUR_MS + random.below(3 * HOUR_MS) : 2 * DAY_MS;
  const pod = { ...podOf(id, service.request), service: service.name, serviceReplicas: service.replicas };
  return {
    id,
    kind: 'service',
    arrivalMs,
    durationMs: endMs - arrivalMs,
    pods: [pod],
    cardsMilli: cardsAskedMilli(service.request),
  };
}

const NO_LABELS: ReadonlyMap<string, string> = new Map();

function podOf(id: string, request: Request): Pod {
  return {
    id,
    namespace: 'sample',
    labels: NO_LABELS,
    service: '',
    serviceReplicas: 0,
    tenant: '',
    priority: 0,
    request,
  };
}
