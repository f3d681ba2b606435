import type { ReservationTimes } from './gang-reservations.ts';
import type { GangTimes } from './gangs.ts';

export interface SchedulerOptions extends GangTimes, ReservationTimes {
  /** How long an ordered bind may stay unseen before it is looked up; it is never taken back unasked (I1). */
  readonly assumedMs: number;
  /** How long room made by preemption is kept for its pod. */
  readonly nominationMs: number;
}

export const SCHEDULER_DEFAULTS: SchedulerOptions = {
  assumedMs: 30_000,
  nominationMs: 60_000,
  gangPartMs: 5_000,
  gangReadyMs: 600_000,
  gangReserveAfterMs: 120_000,
  gangReservedMs: 600_000,
};
