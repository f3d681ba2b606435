import type { DeviceTrouble, Explanation } from '../model/index.ts';
import type { GangReport, WaitReason, WaitReport } from './events.ts';
import type { Waiting } from './queue.ts';

/** Why something waits. */
export interface Why {
  readonly reason: WaitReason;
  readonly explanation?: Explanation;
  readonly gang?: GangReport;
  readonly claims?: readonly DeviceTrouble[];
}

/** What is told of something that waits, in short: it is told again when this differs. */
export function toldOf({ pods, started, wanted }: Waiting, { reason, explanation, gang, claims = [] }: Why): string {
  const members = started + pods.length;
  // Counts change all the time: those of a gang would be told again to each of its members.
  const counts = explanation?.refusals.map(({ filter, machines }) => `${filter}:${machines}`);
  const filters = gang?.refusal?.refusals.map(({ filter }) => filter);
  const troubles = claims.map(({ kind, claim, path, detail }) => `${kind} ${claim} ${path} ${detail}`);
  return `${reason} ${members}/${wanted} ${[...(counts ?? filters ?? []), ...troubles].join(' ')}`;
}

/** A report for each pod that waits. */
export function reportsOf({ pods }: Waiting, { reason, explanation, gang, claims = [] }: Why): WaitReport[] {
  return pods.map(({ uid, pod }) => {
    return { uid, pod: pod.id, reason, explanation: explanation ?? null, gang: gang ?? null, claims };
  });
}
