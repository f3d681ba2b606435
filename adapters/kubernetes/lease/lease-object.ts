import { readOr } from '../fault.ts';
import { type Fields, fieldsAt, fieldsOf, integerAt, textAt } from '../fields.ts';

/** A Lease as the API server has it. */
export interface LeaseObject {
  /** The whole object, to be sent back with its `spec` changed: the API server refuses it if it is no longer the newest. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly resourceVersion: string;
  /** Empty: it was given up. */
  readonly holder: string;
  readonly durationMs: number;
  readonly transitions: number;
  readonly renewTime: string;
}

const SECONDS = { absent: 15, min: 1, max: 86_400 };
const TRANSITIONS = { absent: 0, min: 0, max: 2 ** 31 - 1 };

/** Null: it is none. */
export function leaseOf(body: unknown): LeaseObject | null {
  return readOr(null, () => readLease(fieldsOf(body, null)));
}

function readLease(object: Fields): LeaseObject {
  const spec = fieldsAt(object, 'spec');
  return {
    values: object.values,
    resourceVersion: textAt(fieldsAt(object, 'metadata'), 'resourceVersion'),
    holder: textAt(spec, 'holderIdentity'),
    durationMs: integerAt(spec, 'leaseDurationSeconds', SECONDS) * 1000,
    transitions: integerAt(spec, 'leaseTransitions', TRANSITIONS),
    renewTime: textAt(spec, 'renewTime'),
  };
}

export interface LeaseTerms {
  readonly holder: string;
  readonly durationMs: number;
  readonly transitions: number;
  /** By the wall clock: for people, since nobody may compare two machines' clocks. */
  readonly nowWallMs: number;
  /** Null: as it was. */
  readonly acquiredWallMs: number | null;
}

/** The object with new terms. */
export function withTerms(values: Readonly<Record<string, unknown>>, terms: LeaseTerms): Record<string, unknown> {
  const old = (values['spec'] ?? {}) as Readonly<Record<string, unknown>>;
  const acquired = terms.acquiredWallMs === null ? {} : { acquireTime: microTime(terms.acquiredWallMs) };
  const spec = {
    ...old,
    ...acquired,
    holderIdentity: terms.holder,
    leaseDurationSeconds: Math.ceil(terms.durationMs / 1000),
    leaseTransitions: terms.transitions,
    renewTime: microTime(terms.nowWallMs),
  };
  return { ...values, apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec };
}

/** The format of Kubernetes' MicroTime. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}
