import { compareText } from '@springtide/core/base';
import { CARDS_PER_MACHINE } from './machines.ts';
import type { JobOutcome } from './queue-job.ts';
import type { QueueTrace } from './slices.ts';

/** What a queue policy did to a trace. JCT = end - submission; delay = JCT - run time. */
export interface QueueScore {
  readonly meanJctSeconds: number;
  readonly p95JctSeconds: number;
  readonly meanDelaySeconds: number;
  /** Mean delay of jobs of 8 cards and more; null: there is none. */
  readonly largeGangDelaySeconds: number | null;
  /** Card-time used up to the last arrival, as a share. */
  readonly utilisation: number;
  readonly preemptionsPerJob: number;
  readonly maxPreemptions: number;
}

/** All jobs of a trace of at least one. */
export function scoreOf({ jobs, machines }: QueueTrace, outcomes: readonly JobOutcome[]): QueueScore {
  const spanMs = (jobs.at(-1)?.submittedAtMs ?? 0) - (jobs[0]?.submittedAtMs ?? 0);
  const heldCardMs = outcomes.reduce((sum, outcome) => sum + outcome.heldCardMs, 0);
  const jcts = outcomes.map(({ job, endedAtMs }) => endedAtMs - job.submittedAtMs).toSorted((a, b) => a - b);
  const large = outcomes.filter(({ job }) => job.cards >= CARDS_PER_MACHINE);
  return {
    meanJctSeconds: meanSeconds(jcts),
    p95JctSeconds: (jcts[Math.floor(0.95 * jcts.length)] as number) / 1000,
    meanDelaySeconds: meanSeconds(outcomes.map(delayMs)),
    largeGangDelaySeconds: large.length === 0 ? null : meanSeconds(large.map(delayMs)),
    utilisation: spanMs === 0 ? 0 : heldCardMs / (spanMs * machines * CARDS_PER_MACHINE),
    preemptionsPerJob: outcomes.reduce((sum, { preemptions }) => sum + preemptions, 0) / outcomes.length,
    maxPreemptions: outcomes.reduce((most, { preemptions }) => Math.max(most, preemptions), 0),
  };
}

/** Jobs of one size or tenant, and how long they were delayed. */
export interface DelayGroup {
  readonly name: string;
  readonly jobs: number;
  readonly meanDelaySeconds: number;
}

/** Delays by cards asked for: 1, 2-7, 8, more. */
export function delaysBySize(outcomes: readonly JobOutcome[]): DelayGroup[] {
  const sizes = [
    ['1', 1],
    ['2-7', CARDS_PER_MACHINE - 1],
    ['8', CARDS_PER_MACHINE],
    ['> 8', Infinity],
  ] as const;
  const sizeOf = (cards: number): string => sizes.find(([, most]) => cards <= most)?.[0] ?? '';
  const groups = Map.groupBy(outcomes, ({ job }) => sizeOf(job.cards));
  return sizes.map(([name]) => groupOf(name, groups.get(name) ?? []));
}

const TENANTS_MAX = 8;

/** Delays of the tenants with most jobs, those first. */
export function delaysByTenant(outcomes: readonly JobOutcome[]): DelayGroup[] {
  const groups = [...Map.groupBy(outcomes, ({ job }) => job.tenant)].map(([name, own]) => groupOf(name, own));
  return groups
    .toSorted((left, right) => right.jobs - left.jobs || compareText(left.name, right.name))
    .slice(0, TENANTS_MAX);
}

function groupOf(name: string, outcomes: readonly JobOutcome[]): DelayGroup {
  return {
    name,
    jobs: outcomes.length,
    meanDelaySeconds: outcomes.length === 0 ? 0 : meanSeconds(outcomes.map(delayMs)),
  };
}

function delayMs({ job, endedAtMs }: JobOutcome): number {
  return endedAtMs - job.submittedAtMs - job.runTimeMs;
}

function meanSeconds(valuesMs: readonly number[]): number {
  return valuesMs.reduce((sum, value) => sum + value, 0) / valuesMs.length / 1000;
}
