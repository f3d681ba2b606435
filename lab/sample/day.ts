import { mulberry32, shuffle } from '@springtide/core/base';
import {
  DEFAULT_SERVICE_CAPS,
  placeGang,
  Placer,
  POLICIES,
  type Policy,
  type PolicyName,
} from '@springtide/core/placement';
import { Book } from '@springtide/core/state';
import { remainderOf, type Remainder } from '../replay/remainder.ts';
import { Departures } from './departures.ts';
import { DayFigures, type DayPoint } from './figures.ts';
import type { Sample } from './sample.ts';
import { DAY_MS, type WorkUnit } from './work.ts';

/** How one policy came through the day. */
export interface DayResult {
  readonly placement: PolicyName;
  /** Every quarter of an hour from midnight to midnight. */
  readonly points: readonly DayPoint[];
  /** Of the jobs, replicas and gangs that came on the day. */
  readonly arrived: number;
  readonly started: number;
  readonly meanWaitMs: number;
  /** Of those that ask for four cards and more. */
  readonly meanWaitBigMs: number;
  readonly longestWaitMs: number;
  /** Where the capacity is at `remainderAtMs`. */
  readonly remainder: readonly Remainder[];
  readonly decisions: number;
}

export interface DayOptions {
  readonly placement: PolicyName;
  /** The time of day for `remainder`. */
  readonly remainderAtMs: number;
}

interface Waiting {
  readonly unit: WorkUnit;
}

/** CPU that a pod with one whole card usually asks for in the sample. */
export const CPU_OF_CARD_MILLI = 12_000;
const POINT_MS = DAY_MS / 96;

/**
 * Replays the day under one policy. What does not fit waits, first come first served, but later ones may start
 * while an earlier one does not fit; all that wait are tried again when something leaves. Gangs start whole or
 * not at all under every policy, which is kind to Kubernetes' default: alone it would start them piece by piece.
 */
export function runDay(sample: Sample, options: DayOptions): DayResult {
  return new Day(sample, options).run();
}

class Day {
  readonly #sample: Sample;
  readonly #options: DayOptions;
  readonly #book: Book;
  readonly #placer: Placer;
  readonly #figures: DayFigures;
  readonly #departures = new Departures<WorkUnit>();
  #waiting: Waiting[] = [];
  #remainder: readonly Remainder[] = [];
  #decisions = 0;

  constructor(sample: Sample, options: DayOptions) {
    this.#sample = sample;
    this.#options = options;
    const order = shuffle(
      sample.machines.map((machine) => machine.id),
      mulberry32(sample.seed),
    );
    this.#book = new Book(sample.machines, { order });
    const random = mulberry32(sample.seed ^ 0x5eed);
    const made = POLICIES[options.placement]({ book: this.#book, chance: random });
    // kube-scheduler picks at random among the best; ours takes the first in rank order.
    const policy: Policy = options.placement === 'spread' ? { ...made, randomTies: true } : made;
    const caps = options.placement === 'tide' ? { serviceCaps: DEFAULT_SERVICE_CAPS } : {};
    this.#placer = new Placer({ book: this.#book, policy, random, ...caps });
    this.#figures = new DayFigures(this.#book);
  }

  run(): DayResult {
    const { work } = this.#sample;
    let next = 0;
    let pointMs = 0;
    while (pointMs <= DAY_MS) {
      const arrivalMs = work[next]?.arrivalMs ?? Infinity;
      const nowMs = Math.min(arrivalMs, this.#departures.nextMs);
      // Everything up to a point in time has happened when the point is taken.
      while (pointMs < nowMs && pointMs <= DAY_MS) {
        this.#takePoint(pointMs);
        pointMs += POINT_MS;
      }
      if (this.#departures.nextMs <= nowMs) this.#leave(nowMs);
      else {
        this.#arrive(work[next] as WorkUnit);
        next += 1;
      }
    }
    return this.#result();
  }

  #takePoint(atMs: number): void {
    this.#figures.take(
      atMs,
      this.#waiting.map(({ unit }) => unit),
    );
    if (atMs === this.#options.remainderAtMs) this.#remainder = remainderOf(this.#book, CPU_OF_CARD_MILLI);
  }

  #arrive(unit: WorkUnit): void {
    for (const pod of unit.pods) this.#placer.policy.observe(this.#book.classOf(pod.request, pod.tenant));
    this.#figures.arrived(unit);
    if (!this.#start(unit, unit.arrivalMs)) this.#waiting.push({ unit });
  }

  #leave(nowMs: number): void {
    while (this.#departures.nextMs <= nowMs) {
      const unit = this.#departures.take();
      for (const pod of unit?.pods ?? []) this.#book.release(pod.id);
    }
    this.#retry(nowMs);
  }

  /** Tries all that wait, oldest first. A request that was just refused is refused for its equals too. */
  #retry(nowMs: number): void {
    const refused = new Set<unknown>();
    this.#waiting = this.#waiting.filter(({ unit }) => {
      const request = unit.pods[0]?.request;
      const isAlone = unit.kind !== 'gang' && unit.kind !== 'service';
      if (isAlone && refused.has(request)) return true;
      if (this.#start(unit, nowMs)) return false;
      if (isAlone) refused.add(request);
      return true;
    });
  }

  #start(unit: WorkUnit, nowMs: number): boolean {
    this.#decisions += 1;
    if (!(unit.kind === 'gang' ? this.#startGang(unit) : this.#startPod(unit))) return false;
    this.#departures.add(nowMs + unit.durationMs, unit);
    this.#figures.started(unit, nowMs);
    return true;
  }

  #startPod({ pods: [pod] }: WorkUnit): boolean {
    if (pod === undefined) return false;
    const decision = this.#placer.decide(pod);
    if (decision.ok) this.#book.hold(decision.holding);
    return decision.ok;
  }

  #startGang(unit: WorkUnit): boolean {
    const [first] = unit.pods;
    // Cheap, and true of most gangs that wait: not even one member fits.
    if (first === undefined || !this.#placer.decide(first).ok) return false;
    const members = unit.pods.map((pod) => ({ pod, role: 'worker' as const }));
    const topology =
      this.#options.placement === 'tide'
        ? ({ level: 'zone', mode: 'preferred', pattern: 'all-reduce' } as const)
        : null;
    return placeGang(this.#placer, { id: unit.id, members, topology }).ok;
  }

  #result(): DayResult {
    return {
      placement: this.#options.placement,
      ...this.#figures.summary(),
      remainder: this.#remainder,
      decisions: this.#decisions,
    };
  }
}
