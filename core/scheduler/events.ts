import type {
  ClaimAllocation,
  DevicePool,
  DeviceTrouble,
  Explanation,
  Machine,
  Pod,
  SliceHeld,
  TopologyRequest,
} from '../model/index.ts';
import type { GangRefusal } from '../placement/index.ts';

/** A gang as its members name it. */
export interface GangMembership {
  /** `namespace/name`. */
  readonly id: string;
  /** Members that must start together; Infinity: nobody says yet. */
  readonly minCount: number;
  /** How near its members have to be; null: anywhere. */
  readonly topology: TopologyRequest | null;
  /** A node label within which they have to be near and that is none of the levels known; empty: none. */
  readonly unknownTopology: string;
}

/** A pod as the cluster shows it. */
export interface SeenPod {
  readonly uid: string;
  readonly pod: Pod;
  /** Null while it waits. */
  readonly machine: string | null;
  /** Succeeded or failed: it holds nothing. */
  readonly isFinished: boolean;
  readonly isDeleting: boolean;
  readonly isReady: boolean;
  /** Ours to place: it names this scheduler, no gate holds it back. */
  readonly isOurs: boolean;
  readonly mayPreempt: boolean;
  /** When it was made, and when its machine took it up (null: not yet), both by the clock on the wall. */
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  readonly gang: GangMembership | null;
  readonly held: readonly SliceHeld[] | null;
  readonly fractionGroups: readonly string[];
}

export type BindFailure = 'conflict' | 'gone' | 'refused' | 'unknown';

/** What the scheduler hears of the world. Events may repeat and come late; each tells a whole state. */
export type SchedulerEvent =
  | { readonly kind: 'machine'; readonly machine: Machine }
  | { readonly kind: 'machine-gone'; readonly id: string }
  | { readonly kind: 'pod'; readonly seen: SeenPod }
  | { readonly kind: 'pod-gone'; readonly uid: string }
  /** A bind that was certainly not done: after an answer that leaves it open the pod is read back first. */
  | { readonly kind: 'bind-failed'; readonly uid: string; readonly why: BindFailure }
  /** Devices of one pool, all of them. */
  | { readonly kind: 'device-pool'; readonly pool: DevicePool }
  | { readonly kind: 'device-pool-gone'; readonly id: string }
  /** What a resource claim has now; null: nothing, or it is gone. */
  | { readonly kind: 'device-claim'; readonly claim: string; readonly allocation: ClaimAllocation | null }
  /** Pods that may be disrupted no further, by id; replaces what was said before. */
  | { readonly kind: 'budgets'; readonly exhausted: ReadonlySet<string> };

export type WaitReason =
  | 'no-machine'
  /** Something is wrong with its resource claims. */
  | 'claims'
  /** Not all that must start together are there. */
  | 'gang-incomplete'
  /** There is no room for all of it now. */
  | 'gang-no-room'
  /** It asks for more than there would be if the machines were empty. */
  | 'gang-too-large'
  /** It names a node label that is no level known. */
  | 'gang-topology';

/** What is told of a gang that waits. */
export interface GangReport {
  readonly id: string;
  /** Members that are there, and how many must start together. */
  readonly members: number;
  readonly membersWanted: number;
  readonly topology: TopologyRequest | null;
  readonly unknownTopology: string;
  /** For `gang-no-room`: how far it came; null: there are not as many free cards. */
  readonly refusal: GangRefusal | null;
  /** Cards asked for at once, the cards of the largest part of the fleet that it may use, and those free in one. */
  readonly cardsAsked: number;
  readonly cardsThere: number;
  readonly cardsFree: number;
}

/** Why a pod waits, told when it changes. */
export interface WaitReport {
  readonly uid: string;
  readonly pod: string;
  readonly reason: WaitReason;
  /** For `no-machine`. */
  readonly explanation: Explanation | null;
  /** For all reasons that begin with `gang`. */
  readonly gang: GangReport | null;
  /** For `claims`: what is wrong. For `no-machine`: selectors that fail on some devices. */
  readonly claims: readonly DeviceTrouble[];
}

/** What the scheduler wants done. */
export type SchedulerCommand =
  | {
      readonly kind: 'bind';
      readonly uid: string;
      readonly pod: string;
      readonly machine: string;
      /** The parts of cards that the book has chosen for it. */
      readonly slices: readonly SliceHeld[];
      /** What is to be written for its resource claims before; absent: nothing. */
      readonly claims?: readonly ClaimAllocation[];
    }
  /** These claims of a pod that waits keep it where it cannot go: nobody uses them, so they give back what they have. */
  | { readonly kind: 'free-claims'; readonly uid: string; readonly pod: string; readonly claims: readonly string[] }
  /** A bind ordered long ago has not been seen: look the pod up, and tell `bind-failed` if it is not bound. */
  | { readonly kind: 'confirm'; readonly uid: string; readonly pod: string; readonly machine: string }
  | {
      readonly kind: 'evict';
      readonly uid: string;
      readonly pod: string;
      readonly reason: 'preempted' | 'gang-incomplete' | 'gang-not-ready';
      readonly by: string;
    }
  | { readonly kind: 'nominate'; readonly uid: string; readonly pod: string; readonly machine: string }
  | { readonly kind: 'report'; readonly report: WaitReport };

export interface StepResult {
  readonly commands: readonly SchedulerCommand[];
  /** Pods that were tried. */
  readonly tried: number;
  /** The work budget ran out before the queue was through: call again. */
  readonly more: boolean;
  /** When to call again although nothing happens; null: not before the next event. */
  readonly wakeAtMs: number | null;
}
