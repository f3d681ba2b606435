import type { Result } from '@springtide/core/base';
import type { ClaimAllocation, NodeSelectorTerm, SelectorExpression } from '@springtide/core/model';
import type { ClaimAnswer, ClusterFailure, DeviceClaim, PodRef } from '@springtide/ports/cluster';
import type { ApiRequest } from '../client/api-client.ts';
import { readOr } from '../fault.ts';
import { fieldsAt, fieldsOf, textAt } from '../fields.ts';
import type { DeviceClass, DeviceConfig, WrittenAsk, WrittenClaim } from './claims.ts';

/** The requests that orders about claims for devices become, and what their answers mean. */

export const RESOURCE_VERSION = 'resource.k8s.io/v1';

const MERGE_PATCH = 'application/merge-patch+json';
/** Adds to lists: to those who may use a claim, and to finalizers. */
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
/** A claim that has devices is not gone before they are taken back. */
const FINALIZER = 'resource.kubernetes.io/delete-protection';

type ClaimRef = Pick<DeviceClaim, 'uid' | 'id'> & Partial<Pick<DeviceClaim, 'resourceVersion'>>;

function patch(claim: ClaimRef, contentType: string, body: object, subresource = ''): ApiRequest {
  const [namespace = '', name = ''] = claim.id.split('/').map(encodeURIComponent);
  const path = `/apis/${RESOURCE_VERSION}/namespaces/${namespace}/resourceclaims/${name}${subresource}`;
  return { method: 'PATCH', path, contentType, body };
}

/** As it was seen, and only then. */
function asSeen({ uid, resourceVersion }: ClaimRef): object {
  return resourceVersion === undefined ? { uid } : { uid, resourceVersion };
}

export function protectRequest(claim: ClaimRef): ApiRequest {
  return patch(claim, STRATEGIC_PATCH, { metadata: { ...asSeen(claim), finalizers: [FINALIZER] } });
}

/** `allocation` null: it has its devices, and whoever else uses it does not matter. */
export function reserveRequest(claim: ClaimRef, pod: PodRef, allocation: object | null): ApiRequest {
  const { name, uid } = pod;
  const status = { reservedFor: [{ resource: 'pods', name, uid }], ...(allocation === null ? {} : { allocation }) };
  return patch(claim, STRATEGIC_PATCH, { metadata: asSeen(claim), status }, '/status');
}

export function unreserveRequest({ uid, id }: ClaimRef, pod: PodRef): ApiRequest {
  const status = { reservedFor: [{ $patch: 'delete', uid: pod.uid }] };
  return patch({ uid, id }, STRATEGIC_PATCH, { metadata: { uid }, status }, '/status');
}

export function freeRequest(claim: ClaimRef): ApiRequest {
  const status = { allocation: null, reservedFor: null, devices: null };
  return patch(claim, MERGE_PATCH, { metadata: asSeen(claim), status }, '/status');
}

export function claimAnswer(answer: Result<unknown, ClusterFailure>): ClaimAnswer {
  if (answer.ok) return { answer: 'written', resourceVersion: versionOf(answer.value) };
  const failure = answer.error;
  if (failure.code === 'not-found') return { answer: 'gone', failure };
  if (failure.code === 'conflict') return { answer: 'conflict', failure };
  if (failure.code === 'forbidden') return { answer: 'forbidden', failure };
  return { answer: failure.retry === 'read-back' ? 'unknown' : 'refused', failure };
}

function versionOf(body: unknown): string {
  return readOr('', () => textAt(fieldsAt(fieldsOf(body, null), 'metadata'), 'resourceVersion'));
}

/** An allocation as it is written: with what drivers are to know from the claim and its classes. */
export function allocationBody(
  { devices, places }: ClaimAllocation,
  claim: WrittenClaim,
  classes: ReadonlyMap<string, DeviceClass>,
): object {
  const asks = claim.requests.flatMap((request) => request.asks);
  const asked = new Map(asks.map((ask) => [ask.name, ask]));
  const results = devices.map(({ request, driver, pool, device, isAdmin }) => ({
    request,
    driver,
    pool,
    device,
    ...(isAdmin ? { adminAccess: true } : {}),
    ...tolerationsOf(asked.get(request)),
  }));
  const chosen = new Set(devices.map(({ request }) => request));
  const due = [
    ...classConfigs(
      asks.filter(({ name }) => chosen.has(name)),
      classes,
    ),
    ...claimConfigs(claim, chosen),
  ];
  const config = due.map((each) => configBody(each, claim, chosen));
  const nodeSelector = places === null ? {} : { nodeSelector: { nodeSelectorTerms: places.map(termBody) } };
  return {
    devices: { ...(results.length === 0 ? {} : { results }), ...(config.length === 0 ? {} : { config }) },
    ...nodeSelector,
  };
}

function tolerationsOf(ask: WrittenAsk | undefined): object {
  return ask?.rawTolerations === undefined ? {} : { tolerations: ask.rawTolerations };
}

interface DueConfig extends DeviceConfig {
  readonly source: 'FromClass' | 'FromClaim';
}

/** Those of each class once, with the requests that they are for. */
function classConfigs(asks: readonly WrittenAsk[], classes: ReadonlyMap<string, DeviceClass>): DueConfig[] {
  const byClass = Map.groupBy(asks, ({ className }) => className);
  return [...byClass].flatMap(([name, own]) => {
    const requests = own.map((ask) => ask.name);
    return (classes.get(name)?.configs ?? []).map(({ opaque }) => ({ source: 'FromClass', requests, opaque }) as const);
  });
}

/** Those for all requests, and those for one that was chosen. */
function claimConfigs({ configs }: WrittenClaim, chosen: ReadonlySet<string>): DueConfig[] {
  const names = new Set([...chosen].flatMap((name) => [name, name.split('/')[0] ?? '']));
  const due = configs.filter(({ requests }) => requests.length === 0 || requests.some((name) => names.has(name)));
  return due.map(({ requests, opaque }) => ({ source: 'FromClaim', requests, opaque }));
}

/** What is for all requests names none. */
function configBody({ source, requests, opaque }: DueConfig, claim: WrittenClaim, chosen: ReadonlySet<string>): object {
  const isForAll = claim.requests.every(({ name, asks }) => {
    return requests.includes(name) || asks.some((ask) => chosen.has(ask.name) && requests.includes(ask.name));
  });
  return requests.length === 0 || isForAll ? { source, opaque } : { source, requests, opaque };
}

function termBody({ expressions, fields }: NodeSelectorTerm): object {
  const listBody = (list: readonly SelectorExpression[]): object[] => list.map((each) => ({ ...each }));
  return {
    ...(expressions.length === 0 ? {} : { matchExpressions: listBody(expressions) }),
    ...(fields.length === 0 ? {} : { matchFields: listBody(fields) }),
  };
}
