import { type CardTemplate, POOL_LABEL, type Toleration } from '@springtide/core/model';
import { type CardOfVendor, cardResource, templateAmounts, VENDORS } from '@springtide/core/vendors';
import {
  type AskedPods,
  type AskedResource,
  type CardCatalogue,
  type PodChanges,
  type PodVerdict,
  TEMPLATE_LABEL,
  VENDOR_LABEL,
} from '@springtide/ports/admission';
import { type Said, said } from '@springtide/wire/messages';
import type { Cards } from './request-faults.ts';
import { saidTwice } from './said-twice.ts';
import { isUnset, NO_CHANGES } from './scheduled-pods.ts';

/** Named in a sentence. */
const NAMES_MAX = 30;

/** What a template is made of for one pod, or why not. */
type Made =
  | { readonly isMade: true; readonly limits: ReadonlyMap<string, number>; readonly resource: string }
  | { readonly isMade: false; readonly why: Said };

/**
 * A pod, or a workload, that names a card template. A pod gets the resources of cards that the cluster has, our
 * scheduler, and what the machines of such cards ask of pods. A workload only passes the name on to its pods: so an
 * object that is applied again and again never differs from what was applied, and a template that changes is in force
 * for the next pod. What cannot be is refused at the workload already.
 */
export async function templatedPods(
  asked: AskedPods,
  schedulerName: string,
  catalogue: CardCatalogue,
): Promise<PodVerdict> {
  const name = nameFor(asked);
  if (typeof name !== 'string') return refused(name);
  if (name === '') return admitted(withoutName(asked));
  const field = fieldOf(asked, TEMPLATE_LABEL);
  const template = await catalogue.template(name);
  if (template === null) return refused(unknown(field, name, catalogue.templateNames()));
  const cards = catalogue.cards();
  const made = madeOf(template, asked, cards);
  if (!made.isMade) return refused(made.why);
  const conflict = conflictOf(asked, template, made.limits, schedulerName);
  if (conflict !== null) return refused(conflict);
  const warnings = isPlaceable(template, cards.get(made.resource), cards) ? [] : [uncut(template, made.resource)];
  if (asked.prefix !== '') return admitted({ ...NO_CHANGES, labels: new Map([[TEMPLATE_LABEL, name]]) }, warnings);
  return admitted(changesFor(asked, template, made, schedulerName), warnings);
}

function refused(why: Said): PodVerdict {
  return { verdict: 'refused', message: saidTwice(why) };
}

function admitted(changes: PodChanges, warnings: readonly Said[] = []): PodVerdict {
  return { verdict: 'admitted', changes, warnings: warnings.map(saidTwice) };
}

/** Such as `spec.template.metadata.labels["springtide.io/vendor"]`. */
function fieldOf({ prefix }: AskedPods, label: string): string {
  return `${prefix}metadata.labels["${label}"]`;
}

/** The template that counts; empty: none any more. A workload's pods follow it, unless they were named themselves. */
function nameFor(asked: AskedPods): string | Said {
  const { own, ofPods, former } = asked.template;
  const follows = ofPods === '' || ofPods === own || ofPods === former;
  if (own === '') return follows ? '' : ofPods;
  if (follows) return own;
  return said('admission.template.differs', { field: fieldOf(asked, TEMPLATE_LABEL), pods: ofPods, own });
}

function withoutName({ template }: AskedPods): PodChanges {
  return template.ofPods === '' ? NO_CHANGES : { ...NO_CHANGES, labels: new Map([[TEMPLATE_LABEL, null]]) };
}

function unknown(field: string, name: string, names: readonly string[]): Said {
  if (names.length === 0) return said('admission.template.none', { field, name });
  const told = names.slice(0, NAMES_MAX).join(', ');
  const more = names.length > NAMES_MAX ? `, … (${names.length})` : '';
  return said('admission.template.unknown', { field, name, names: `${told}${more}` });
}

/** Every way to make it, in the order in which they are preferred. */
function waysOf(
  template: CardTemplate,
): { readonly card: CardOfVendor; readonly limits: ReadonlyMap<string, number> }[] {
  const all = VENDORS.flatMap((vendor) => vendor.cards.map((resource) => ({ vendor, resource })));
  const listed = template.resources.flatMap((resource) => cardResource(resource) ?? []);
  return (template.resources.length === 0 ? all : listed).flatMap((card) => {
    const limits = templateAmounts(template, card);
    return limits === null ? [] : [{ card, limits }];
  });
}

/** Of the cards that the cluster has, else of the first that could be. */
function madeOf(template: CardTemplate, asked: AskedPods, cards: Cards): Made {
  const { name } = template;
  const field = fieldOf(asked, VENDOR_LABEL);
  const known = VENDORS.map((vendor) => vendor.name);
  if (asked.vendor !== '' && !known.includes(asked.vendor)) {
    const why = said('admission.template.vendor', { field, found: asked.vendor, known: known.join(', ') });
    return { isMade: false, why };
  }
  const ways = waysOf(template);
  if (ways.length === 0) {
    return {
      isMade: false,
      why: said('admission.template.unmakeable', { name, resources: template.resources.join(', ') }),
    };
  }
  const open = ways.filter(({ card }) => asked.vendor === '' || card.vendor.name === asked.vendor);
  const there = open.find(({ card }) => isPlaceable(template, cards.get(card.resource.name), cards));
  const way = there ?? open.find(({ card }) => cards.has(card.resource.name)) ?? open[0];
  if (way !== undefined) return { isMade: true, limits: way.limits, resource: way.card.resource.name };
  const others = [...new Set(ways.map(({ card }) => card.vendor.name))].join(', ');
  return { isMade: false, why: said('admission.template.unfit', { field, vendor: asked.vendor, name, known: others }) };
}

/** Whether cards of the resource could be given so. Of a cluster without cards nothing is said. */
function isPlaceable(template: CardTemplate, offered: ReturnType<Cards['get']>, cards: Cards): boolean {
  if (cards.size === 0) return true;
  return offered !== undefined && (template.granularity === 'whole' || offered.isCut);
}

function uncut({ name }: CardTemplate, resource: string): Said {
  return said('admission.template.uncut', { resource, name });
}

/** What the pods say themselves and the template says otherwise. What it has set itself before is none. */
function conflictOf(
  asked: AskedPods,
  { name, pool }: CardTemplate,
  limits: ReadonlyMap<string, number>,
  schedulerName: string,
): Said | null {
  if (asked.mainContainer < 0) return said('admission.template.container', { name });
  const isSet = (resource: AskedResource, index: number): boolean =>
    index === asked.mainContainer && asked.prefix === '' && limits.get(resource.resource) === resource.amount;
  const [own] = asked.containers.flatMap(({ cards }, index) => cards.filter((each) => !isSet(each, index)));
  if (own !== undefined) return said('admission.template.resource', { field: own.field, name });
  if (!isUnset(asked.schedulerName) && asked.schedulerName !== schedulerName) {
    const field = `${asked.prefix}spec.schedulerName`;
    return said('admission.template.scheduler', { field, found: asked.schedulerName, ours: schedulerName });
  }
  if (pool === '' || asked.pool === '' || asked.pool === pool) return null;
  return said('admission.template.pool', { field: fieldOf(asked, POOL_LABEL), found: asked.pool, name, pool });
}

function changesFor(
  asked: AskedPods,
  { pool, tolerations }: CardTemplate,
  { limits, resource }: Extract<Made, { readonly isMade: true }>,
  schedulerName: string,
): PodChanges {
  // As the admission plug-in ExtendedResourceToleration has it: machines with cards are often tainted by their name.
  const usual: Toleration = { key: resource, operator: 'Exists', value: '', effect: 'NoSchedule' };
  const isMissing = (wanted: Toleration): boolean => !asked.tolerations.some((each) => isSame(each, wanted));
  return {
    schedulerName: asked.schedulerName === schedulerName ? null : schedulerName,
    limits,
    tolerations: [usual, ...tolerations].filter(isMissing),
    labels: pool === '' || asked.pool === pool ? new Map() : new Map([[POOL_LABEL, pool]]),
  };
}

function isSame(left: Toleration, right: Toleration): boolean {
  const keys = ['key', 'operator', 'value', 'effect'] as const;
  return keys.every((key) => left[key] === right[key]);
}
