import { compareText } from '@springtide/core/base';
import type { CohortSpec, Flavor, QuotaSpecs } from '@springtide/core/model';
import { faultsIn } from '@springtide/core/quota';
import type { SeenQueue } from '@springtide/ports/queueing';
import type { AppliedObject } from '../client/apply.ts';
import { below, type Fields, fieldsAt, has, requiredTextAt, textAt } from '../fields.ts';
import { cohortObject } from '../queueing/cohort.ts';
import { flavorObject } from '../queueing/flavor.ts';
import { queueObject } from '../queueing/queue.ts';
import { type Loss, Losses } from './losses.ts';
import { cohortOfKueue, flavorOfKueue, isStopped, nameOf, priorityClassOfKueue, queueOfKueue } from './objects.ts';

export interface Migration {
  /** Ours, in the order in which they are made. */
  readonly objects: readonly AppliedObject[];
  /** What is not carried over, or not as it was, in the order of what was read. */
  readonly losses: readonly Loss[];
}

export const KUEUE_GROUP = 'kueue.x-k8s.io';

/** Workloads are made anew from the jobs that they are for. */
const MADE_ANEW = 'Workload';

/** Gathers objects of Kueue, in any order, and tells what they are here. */
export class Migrating {
  readonly #losses = new Losses();
  readonly #flavors: Flavor[] = [];
  readonly #cohorts: CohortSpec[] = [];
  readonly #queues = new Map<string, SeenQueue>();
  readonly #classes: AppliedObject[] = [];
  readonly #locals: Fields[] = [];
  #isAny = false;

  /** Whether anything of Kueue's has been taken in. */
  get isAny(): boolean {
    return this.#isAny;
  }

  /** An object of any kind; those of others are passed over. Throws an `InputFault` where it cannot be read. */
  take(object: Fields): void {
    if (!textAt(object, 'apiVersion').startsWith(`${KUEUE_GROUP}/`)) return;
    const kind = textAt(object, 'kind');
    this.#isAny = true;
    this.#losses.about(kind, nameOf(object));
    if (kind === 'ResourceFlavor') this.#flavors.push(flavorOfKueue(object, this.#losses));
    else if (kind === 'Cohort') this.#cohorts.push(cohortOfKueue(object, this.#losses));
    else if (kind === 'ClusterQueue') this.#queues.set(nameOf(object), queueOfKueue(object, this.#losses));
    else if (kind === 'WorkloadPriorityClass') this.#classes.push(priorityClassOfKueue(object, this.#losses));
    else if (kind === 'LocalQueue') this.#locals.push(object);
    else if (kind !== MADE_ANEW) this.#losses.add('kind', null);
  }

  finish(): Migration {
    for (const local of this.#locals) this.#takeLocal(local);
    const specs: QuotaSpecs = {
      flavors: this.#flavors.toSorted(byId),
      cohorts: this.#allCohorts().toSorted(byId),
      queues: [...this.#queues.values()].map(({ spec }) => spec).toSorted(byId),
    };
    this.#tellFaults(specs);
    const objects = [
      ...this.#classes.toSorted((left, right) => compareText(left.metadata.name, right.metadata.name)),
      ...specs.flavors.map(flavorObject),
      ...specs.cohorts.map(cohortObject),
      ...specs.queues.map(({ id }) => queueObject(this.#queues.get(id) as SeenQueue)),
    ];
    return { objects, losses: this.#losses.all };
  }

  /** A LocalQueue is a name, in its namespace, for a queue. */
  #takeLocal(local: Fields): void {
    const spec = fieldsAt(local, 'spec');
    const alias = `${requiredTextAt(fieldsAt(local, 'metadata'), 'namespace')}/${nameOf(local)}`;
    this.#losses.about('LocalQueue', alias);
    this.#losses.unknownIn(spec, ['clusterQueue', 'stopPolicy', 'fairSharing']);
    const name = requiredTextAt(spec, 'clusterQueue');
    const queue = this.#queues.get(name);
    if (has(spec, 'fairSharing')) this.#losses.add('local-fair-sharing', below(spec, 'fairSharing'));
    if (queue === undefined) return this.#losses.add('no-cluster-queue', below(spec, 'clusterQueue'), name);
    if (isStopped(spec, this.#losses))
      return this.#losses.add('local-stop', below(spec, 'stopPolicy'), textAt(spec, 'stopPolicy'));
    this.#queues.set(name, { ...queue, aliases: [...queue.aliases, alias].toSorted(compareText) });
  }

  /** Kueue makes a cohort of any name that a ClusterQueue or a Cohort gives; here each is an object. */
  #allCohorts(): CohortSpec[] {
    const named = [...this.#queues.values()].map(({ spec }) => spec.cohort);
    const above = this.#cohorts.map(({ parent }) => parent);
    const there = new Set(this.#cohorts.map(({ id }) => id));
    const missing = new Set([...named, ...above].filter((id) => id !== null && !there.has(id)) as string[]);
    return [...this.#cohorts, ...[...missing].map((id) => ({ id, parent: null, weightMilli: 1000, cells: [] }))];
  }

  /** What no tree can be made of: Kueue leaves such objects alone, and so they would be here. */
  #tellFaults(specs: QuotaSpecs): void {
    const kinds = { flavor: 'ResourceFlavor', cohort: 'Cohort', queue: 'ClusterQueue' } as const;
    const told = new Set<string>();
    for (const { object, id, problem, value } of faultsIn(specs)) {
      const text = `${problem}: ${value}`;
      if (told.has(`${object} ${id} ${text}`)) continue;
      told.add(`${object} ${id} ${text}`);
      this.#losses.about(kinds[object], id);
      this.#losses.add('tree', null, text);
    }
  }
}

function byId(left: { readonly id: string }, right: { readonly id: string }): number {
  return compareText(left.id, right.id);
}
