import type { Machine, Pod, SliceHeld } from '@springtide/core/model';
import type { CardGroup } from './card-group.ts';
import type { MigMachine } from './mig.ts';
import type { ReplicaFacts } from './replica-facts.ts';
import type { Overbooked, Problem } from './problem.ts';

/** A pod of the dump that holds something or waits for it. */
export interface ObservedPod {
  readonly pod: Pod;
  /** The machine it is on; null: it waits. */
  readonly machine: string | null;
  readonly phase: string;
  /** A pod being deleted still holds what it has. */
  readonly isDeleting: boolean;
  readonly isGated: boolean;
  /** It asks for devices by resource claims (DRA): what it holds of cards is not known from the dump. */
  readonly hasClaims: boolean;
  /** `Job`, `DaemonSet`, ...; empty: nobody's. */
  readonly ownerKind: string;
  /** Null: no ReplicaSet or StatefulSet keeps it. */
  readonly replica: ReplicaFacts | null;
  /** What a plug-in's annotation says it holds; null: no plug-in names it, so the book must guess. */
  readonly held: readonly SliceHeld[] | null;
  /** Pods of a machine with a group in common share one card of it. */
  readonly fractionGroups: readonly string[];
}

export interface TimeSlicedMachine {
  readonly physicalCards: number;
  readonly sharesPerCard: number;
  readonly sharesUsed: number;
}

/** A cluster as one dump shows it. */
export interface Dump {
  /** In the order of the dump. */
  readonly machines: readonly Machine[];
  /** For each machine with cards: how each of its card resources is offered. */
  readonly cardGroups: ReadonlyMap<string, readonly CardGroup[]>;
  /** In the order of the dump; finished ones are left out, and those on unknown machines. */
  readonly pods: readonly ObservedPod[];
  readonly finishedPods: number;
  readonly problems: readonly Problem[];
  /** Machines on which more CPU (milli), memory (bytes) or another resource is held than is allocatable. */
  readonly overcommitted: readonly Overbooked[];
  /** Extended resources that may be cards of a vendor nobody knows, by machine. */
  readonly unknownResources: ReadonlyMap<string, readonly string[]>;
  readonly mig: ReadonlyMap<string, MigMachine>;
  readonly timeSliced: ReadonlyMap<string, TimeSlicedMachine>;
  /** By machine and fraction group: thousandths of the group's card that are held. */
  readonly fractions: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Objects of the dump that are neither nodes nor pods, by kind. */
  readonly otherKinds: ReadonlyMap<string, number>;
}
