import { err, ok, type Result } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import { said } from '@springtide/wire/messages';
import { readAnswer } from '../client/read-answer.ts';
import { fieldsAt, textAt } from '../fields.ts';
import { type Client, type Finding, finding } from './finding.ts';

/** Who asks, and how far the API server's clock is ahead of this machine's. */
export interface Self {
  readonly user: string;
  readonly aheadMs: number;
}

/** The API server tells the time in whole seconds. */
const RESOLUTION_MS = 1000;
/** A difference that certificates, tokens and people do not notice. */
const SKEW_MS_MAX = 10_000;

/** Asks the API server who is asking: its answer carries its time, and needs no permission. */
export async function lookAtSelf(client: Client, clock: Clock): Promise<Result<Self, ClusterFailure>> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const sentMs = clock.wallMs();
  const read = await readAnswer(client, { method: 'POST', path, body }, (answer) => ({
    user: textAt(fieldsAt(fieldsAt(answer, 'status'), 'userInfo'), 'username'),
    serverMs: Date.parse(textAt(fieldsAt(answer, 'metadata'), 'creationTimestamp')),
  }));
  if (!read.ok) return read;
  const { user, serverMs } = read.value;
  if (Number.isNaN(serverMs)) return err(clusterFailure('malformed', `${path}: no time`));
  return ok({ user, aheadMs: aheadOf({ sentMs, heardMs: clock.wallMs(), serverMs }) });
}

/** 0 where the answer's time lies between sending and hearing; else by how much it lies outside, at least. */
export function aheadOf(times: {
  readonly sentMs: number;
  readonly heardMs: number;
  readonly serverMs: number;
}): number {
  const { sentMs, heardMs, serverMs } = times;
  if (serverMs > heardMs) return serverMs - heardMs;
  return Math.min(0, serverMs + RESOLUTION_MS - sentMs);
}

export function clockFinding({ aheadMs }: Self): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  if (Math.abs(aheadMs) <= SKEW_MS_MAX) return finding('clock', 'ok', said('doctor.clock.same'));
  const found = aheadMs > 0 ? said('doctor.clock.behind', { seconds }) : said('doctor.clock.ahead', { seconds });
  return finding('clock', 'warning', found, said('doctor.clock.todo'));
}
