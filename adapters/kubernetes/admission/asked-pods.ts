import { POOL_LABEL } from '@springtide/core/model';
import { isVendorResource } from '@springtide/core/vendors';
import {
  type AskedContainer,
  type AskedPods,
  type AskedResource,
  TEMPLATE_LABEL,
  VENDOR_LABEL,
} from '@springtide/ports/admission';
import { tolerationsOf } from '../constraints.ts';
import { type Fields, fieldsAt, itemsAt, textAt, textMapAt } from '../fields.ts';
import { parseQuantity } from '../quantity.ts';
import type { AdmissionRequest } from './request.ts';

/** Names the container that others mean as well; kubectl shows its logs where none is named. */
const MAIN_CONTAINER = 'kubectl.kubernetes.io/default-container';

/** Where an object of a kind says what its pods are like; empty: it is one. */
export function podPathOf(kind: string): readonly string[] {
  if (kind === 'Pod') return [];
  return kind === 'CronJob' ? ['spec', 'jobTemplate', 'spec', 'template'] : ['spec', 'template'];
}

/** Null where there is no object: it is being deleted. Throws an `InputFault` where the pods cannot be read. */
export function askedPodsOf({ object, oldObject, kind }: AdmissionRequest): AskedPods | null {
  if (object === null) return null;
  const path = podPathOf(kind);
  const pods = path.reduce<Fields>(fieldsAt, object);
  const metadata = fieldsAt(pods, 'metadata');
  const [labels, annotations] = [textMapAt(metadata, 'labels'), textMapAt(metadata, 'annotations')];
  const spec = fieldsAt(pods, 'spec');
  const init = itemsAt(spec, 'initContainers');
  const app = itemsAt(spec, 'containers');
  const prefix = path.map((key) => `${key}.`).join('');
  const named = app.findIndex((container) => textAt(container, 'name') === annotations.get(MAIN_CONTAINER));
  return {
    prefix,
    template: {
      own: templateOf(object),
      ofPods: templateOf(pods),
      former: oldObject === null ? '' : templateOf(oldObject),
    },
    hasAnnotatedTemplate: annotations.has(TEMPLATE_LABEL),
    vendor: labels.get(VENDOR_LABEL) ?? '',
    pool: labels.get(POOL_LABEL) ?? '',
    schedulerName: textAt(spec, 'schedulerName'),
    containers: [
      ...init.map((container, index) => containerOf(container, `${prefix}spec.initContainers[${index}]`)),
      ...app.map((container, index) => containerOf(container, `${prefix}spec.containers[${index}]`)),
    ],
    mainContainer: app.length === 0 ? -1 : init.length + Math.max(0, named),
    tolerations: tolerationsOf(spec),
  };
}

function templateOf(object: Fields): string {
  return textMapAt(fieldsAt(object, 'metadata'), 'labels').get(TEMPLATE_LABEL) ?? '';
}

function containerOf(container: Fields, field: string): AskedContainer {
  const resources = fieldsAt(container, 'resources');
  const cards = ['limits', 'requests'].flatMap((key) => cardsOf(fieldsAt(resources, key), `${field}.resources.${key}`));
  return { field, cards };
}

function cardsOf({ values }: Fields, field: string): AskedResource[] {
  return Object.keys(values)
    .filter(isVendorResource)
    .map((resource) => {
      const value = values[resource];
      const amount = parseQuantity(value, 'unit');
      return {
        resource,
        text: String(value),
        amount: amountOf(amount),
        field: `${field}["${resource}"]`,
      };
    });
}

/** More than can be counted is more than anything; the rest is refused by the API server itself. */
function amountOf(read: ReturnType<typeof parseQuantity>): number | null {
  if (typeof read === 'number') return read;
  return read === 'absurd' ? Number.MAX_SAFE_INTEGER : null;
}
