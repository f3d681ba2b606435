import { lossBy, type Fragmentation, type LossReason, type LossSum } from '@springtide/core/defrag';
import { requestJson, type Cluster } from '../../cluster/index.ts';
import type { Inspection } from './inspection.ts';
import { mainReason } from './main-reason.ts';
import { familyOf } from './rows.ts';
import type { Waiting } from './waiting.ts';

/**
 * The inspection as JSON: a stable interface. Keys and counts of `models`, `machines`, `hamiCards`, `mig`,
 * `timeSliced`, `unknownResources` and `problems` are those of the recorded cases; the rest is documented in
 * docs. Texts inside are English, whatever the language; nothing in it tells when it was made.
 */
export function inspectionJson(found: Inspection): object {
  const { cluster, fragmentation } = found;
  const { book, dump } = cluster;
  const nameOf = (machine: number): string => book.machines[machine]?.id ?? '';
  return {
    cluster: {
      machines: book.machines.length,
      machinesWithCards: dump.cardGroups.size,
      pods: dump.pods.length,
      waitingPods: found.waiting.pods,
      finishedPods: dump.finishedPods,
    },
    models: plain(found.models),
    machines: plain(found.machines),
    hamiCards: plain(found.hamiCards),
    sharedCards: plain(found.sharedCards),
    mig: Object.fromEntries(
      [...found.mig].map(([id, { profiles, ...rest }]) => [id, { ...rest, profiles: plain(profiles) }]),
    ),
    timeSliced: plain(found.timeSliced),
    unknownResources: plain(found.unknownResources),
    problems: found.problems,
    overcommitted: found.overcommitted,
    fragmentation: fragmentationJson(cluster, fragmentation),
    leftovers: plain(found.leftovers),
    largestGang: plain(found.gangs),
    emptiable: {
      alone: found.emptiable.alone.map(nameOf),
      together: found.emptiable.together.map(nameOf),
      moves: found.emptiable.moves,
    },
    legend: found.legend,
    pictures: found.pictures.map(({ machine, text }) => ({ machine, text })),
    waiting: waitingJson(found.waiting),
  };
}

/** Maps, nested as they are, as objects. */
function plain(value: unknown): unknown {
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, part]) => [String(key), plain(part)]));
}

function fragmentationJson(cluster: Cluster, fragmentation: Fragmentation): object {
  const { book } = cluster;
  const { idle, unusable, expectedLost, machines, requests } = fragmentation;
  const total = lossBy(machines, () => '').get('');
  return {
    idle,
    unusable,
    expectedLost: Math.round(expectedLost * 1000) / 1000,
    byReason: plain(total?.byReason ?? new Map()),
    byModel: sums(lossBy(machines, (machine) => familyOf(cluster, machine))),
    byRack: sums(lossBy(machines, (machine) => book.machines[machine]?.location.rack ?? '')),
    machines: Object.fromEntries(
      machines
        .filter((each) => each.unusable > 0)
        .map((each) => [
          book.machines[each.machine]?.id,
          { idle: each.idle, unusable: each.unusable, reason: each.reason },
        ]),
    ),
    requests: requests.map(({ common, usable, lost }) => ({
      request: requestJson(common.requestClass.request),
      pods: common.pods,
      share: Math.round(common.share * 10_000) / 10_000,
      usable,
      lost: plain(lost),
    })),
  };
}

function sums(by: ReadonlyMap<string, LossSum>): object {
  return Object.fromEntries(
    [...by].map(([key, { idle, unusable, byReason }]) => [
      key,
      { idle, unusable, byReason: plain(byReason) as Record<LossReason, number> },
    ]),
  );
}

function waitingJson({ pods, groups, unexplained }: Waiting): object {
  return {
    pods,
    unexplained,
    groups: groups.map((group) => ({
      workload: group.workload,
      pods: group.pods,
      request: requestJson(group.request),
      gated: group.gated,
      hasClaims: group.hasClaims,
      fits: group.explanation.machine !== null,
      mainReason: mainReason(group),
      refusals: group.explanation.refusals,
      remedies: group.explanation.remedies,
      beyond: group.explanation.beyond,
      nearMiss: group.explanation.nearMiss,
    })),
  };
}
