import type { ClaimAllocation, Machine } from '../model/index.ts';
import type { LearnedMix } from '../placement/index.ts';
import type { DevicesSnapshot } from '../state/index.ts';
import type { SeenPod } from './events.ts';
import type { ReservationsSnapshot } from './gang-reservations.ts';
import type { GangsSnapshot } from './gangs.ts';
import type { Memory } from './queue.ts';
import type { SetBackEntry } from './set-back.ts';
import type { Assumed } from './world.ts';

/** All that a scheduler's later decisions rest on, as plain data. The book is not in it: it is derived. */
export interface SchedulerSnapshot extends WorldSnapshot {
  /** By key: what was told of something that waits, and the like. */
  readonly memories: readonly (readonly [key: string, Memory])[];
  /** Until when room is being made, by key. */
  readonly nominated: readonly (readonly [key: string, untilMs: number])[];
  /** Until when pods that were told to leave are counted on, by id. */
  readonly leaving: readonly (readonly [pod: string, untilMs: number])[];
  readonly gangs: GangsSnapshot;
  readonly reservations: ReservationsSnapshot;
  readonly setBack: readonly (readonly [uid: string, SetBackEntry])[];
  /** Ids of pods that may be disrupted no further. */
  readonly exhausted: readonly string[];
  /** When everything was last tried anew, and when the last step was. */
  readonly restedAtMs: number;
  readonly nowMs: number;
}

export interface WorldSnapshot {
  readonly machines: readonly Machine[];
  readonly pods: readonly SeenPod[];
  readonly assumed: readonly (readonly [uid: string, Assumed])[];
  readonly devices: DevicesSnapshot;
  /** Devices chosen for the claims of pods, by uid. */
  readonly chosen: readonly (readonly [uid: string, readonly ClaimAllocation[]])[];
  /** Null: nothing is learned yet. */
  readonly learned: LearnedMix | null;
}
