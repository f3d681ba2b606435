import { InputFault } from '../fault.ts';
import { booleanAt, below, type Fields, fieldsAt, fieldsOf, has, requiredTextAt, textAt } from '../fields.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** What the API server asks before it writes an object: the `request` of an AdmissionReview. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: Operation;
  /** Of the object, such as `Deployment`; of a subresource its own, such as `Scale`. */
  readonly kind: string;
  /** Such as `apps`; empty for the core group. */
  readonly group: string;
  /** Such as `deployments`, and `scale` of it; empty: the object itself. */
  readonly resource: string;
  readonly subresource: string;
  /** Empty for objects of the whole cluster. */
  readonly namespace: string;
  /** Empty where the API server has yet to make one up. */
  readonly name: string;
  /** Who asks. */
  readonly user: string;
  /** Nothing will be written: nothing else may be, either. */
  readonly isDryRun: boolean;
  /** As it would be; null: it is to be deleted. */
  readonly object: Fields | null;
  /** As it was; null: it is new. */
  readonly oldObject: Fields | null;
}

const OPERATIONS: ReadonlySet<string> = new Set<Operation>(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);

function isOperation(text: string): text is Operation {
  return OPERATIONS.has(text);
}

export const REVIEW_VERSION = 'admission.k8s.io/v1';

/** Throws an `InputFault` for what is no AdmissionReview of version v1. */
export function admissionRequestOf(review: unknown): AdmissionRequest {
  const fields = fieldsOf(review, null);
  const version = textAt(fields, 'apiVersion');
  if (textAt(fields, 'kind') !== 'AdmissionReview' || version !== REVIEW_VERSION) {
    throw new InputFault('value', below(fields, 'apiVersion'), `an AdmissionReview of ${REVIEW_VERSION}`, version);
  }
  const request = fieldsAt(fields, 'request');
  const operation = textAt(request, 'operation');
  if (!isOperation(operation)) {
    throw new InputFault('value', below(request, 'operation'), [...OPERATIONS].join(', '), operation);
  }
  const resource = fieldsAt(request, 'resource');
  return {
    uid: requiredTextAt(request, 'uid'),
    operation,
    kind: textAt(fieldsAt(request, 'kind'), 'kind'),
    group: textAt(resource, 'group'),
    resource: requiredTextAt(resource, 'resource'),
    subresource: textAt(request, 'subResource'),
    namespace: textAt(request, 'namespace'),
    name: textAt(request, 'name'),
    user: textAt(fieldsAt(request, 'userInfo'), 'username'),
    isDryRun: booleanAt(request, 'dryRun'),
    object: objectAt(request, 'object'),
    oldObject: objectAt(request, 'oldObject'),
  };
}

/** An object of its own: paths in it begin at it, not at the review. */
function objectAt(request: Fields, key: string): Fields | null {
  return has(request, key) ? fieldsOf(fieldsAt(request, key).values, null) : null;
}
