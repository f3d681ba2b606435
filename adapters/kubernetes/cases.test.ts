import { describeWithShared } from '@springtide/testkit/shared';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CardGroup } from './card-group.ts';
import type { Dump, ObservedPod } from './dump.ts';
import { inputErrorText } from './fault.ts';
import { readDump } from './read-dump.ts';
import { readRequests } from './read-requests.ts';

/** The parts of `expected.json` that the reader determines by itself, without the book. */
interface Expected {
  readonly models: Readonly<
    Record<
      string,
      {
        readonly machines: number;
        readonly cards: number;
        readonly allocatedWhole: number;
        readonly inSlices: number;
        readonly unhealthy: number;
      }
    >
  >;
  readonly machines: Readonly<Record<string, ExpectedMachine>>;
  readonly hamiCards?: Readonly<Record<string, Readonly<Record<string, ExpectedHamiCard>>>>;
  readonly problems?: readonly unknown[];
  readonly mig?: Readonly<Record<string, unknown>>;
  readonly timeSliced?: Readonly<Record<string, unknown>>;
  readonly unknownResources?: Readonly<Record<string, readonly string[]>>;
  readonly place: Readonly<Record<string, unknown>>;
}

interface ExpectedMachine {
  readonly resource: string;
  readonly model: string | null;
  readonly cards: number;
  readonly healthy: number;
  readonly allocatedWhole: number;
  readonly idle?: number;
  readonly usable: boolean;
  readonly fractionGroups?: Readonly<Record<string, number>>;
}

interface ExpectedHamiCard {
  readonly memoryMiB: number;
  readonly cores: number;
  readonly shares: number;
  readonly healthy: boolean;
  readonly usedMiB: number;
  readonly usedCores: number;
  readonly pods: readonly string[];
}

function wholeHeld(pods: readonly ObservedPod[], machine: string, resource: string): number {
  return pods
    .filter((item) => item.machine === machine)
    .map(({ pod: { request } }) =>
      request.cards.kind === 'whole' && request.cards.resource === resource ? request.cards.count : 0,
    )
    .reduce((sum, count) => sum + count, 0);
}

/** Machines whose cards are offered whole, with the one group they have. */
function wholeGroups(dump: Dump): (readonly [string, CardGroup])[] {
  return [...dump.cardGroups].flatMap(([name, groups]) =>
    groups.filter((group) => group.kind === 'whole').map((group) => [name, group] as const),
  );
}

function machinesOf(dump: Dump): Record<string, ExpectedMachine> {
  return Object.fromEntries(
    wholeGroups(dump).map(([name, group]) => {
      const machine = dump.machines.find((item) => item.id === name);
      const groups = dump.fractions.get(name);
      const shares =
        groups === undefined
          ? {}
          : { fractionGroups: Object.fromEntries([...groups].map(([label, milli]) => [label, milli / 1000])) };
      return [
        name,
        {
          resource: group.resource,
          model: group.model || null,
          cards: group.cardIds.length,
          healthy: group.healthy,
          allocatedWhole: wholeHeld(dump.pods, name, group.resource),
          usable: machine?.cordoned === false && machine.taints.every((taint) => taint.effect !== 'NoExecute'),
          ...shares,
        },
      ];
    }),
  );
}

function modelsOf(dump: Dump): Record<string, object> {
  const models = new Map<
    string,
    { machines: number; cards: number; allocatedWhole: number; inSlices: number; unhealthy: number }
  >();
  for (const [name, group] of wholeGroups(dump)) {
    const key = `${group.resource} ${group.model}`.trim();
    const sum = models.get(key) ?? { machines: 0, cards: 0, allocatedWhole: 0, inSlices: 0, unhealthy: 0 };
    sum.machines += 1;
    sum.cards += group.cardIds.length;
    sum.allocatedWhole += wholeHeld(dump.pods, name, group.resource);
    sum.inSlices += dump.fractions.get(name)?.size ?? 0;
    sum.unhealthy += group.cardIds.length - group.healthy;
    models.set(key, sum);
  }
  return Object.fromEntries(models);
}

function hamiCardsOf(dump: Dump): Record<string, Record<string, ExpectedHamiCard>> {
  const machines = dump.machines.filter((machine) =>
    dump.cardGroups.get(machine.id)?.some((group) => group.kind === 'hami'),
  );
  return Object.fromEntries(
    machines.map((machine) => [
      machine.id,
      Object.fromEntries(
        machine.cards.map((card) => {
          const users = dump.pods.filter((item) => item.held?.some((slice) => slice.cardId === card.id));
          const slices = users.flatMap((item) => item.held ?? []).filter((slice) => slice.cardId === card.id);
          return [
            card.id,
            {
              memoryMiB: card.memoryMiB,
              cores: card.computeMilli / 10,
              shares: card.sharesMax ?? 0,
              healthy: card.health === 'ok',
              usedMiB: slices.reduce((sum, slice) => sum + slice.memoryMiB, 0),
              usedCores: slices.reduce((sum, slice) => sum + slice.computeMilli, 0) / 10,
              pods: users.map((item) => item.pod.id.split('/')[1] ?? '').toSorted(),
            },
          ];
        }),
      ),
    ]),
  );
}

function migOf(dump: Dump): Record<string, object> {
  return Object.fromEntries(
    [...dump.mig].map(([name, { physicalCards, wholeCards, cardsInMig, wholeAllocated, profiles }]) => [
      name,
      { physicalCards, wholeCards, cardsInMig, wholeAllocated, profiles: Object.fromEntries(profiles) },
    ]),
  );
}

describeWithShared('dumps of real API servers', (shared) => {
  describe.each(['fragmented', 'slices', 'domestic'])('%s', (name) => {
    const folder = join(shared, 'cases', 'kubectl', name);
    const expected: Expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
    let dump: Dump;

    beforeAll(async () => {
      const read = await readDump(folder);
      if (!read.ok) throw new Error(inputErrorText(read.error));
      dump = read.value;
    });

    test('machines with whole cards', () => {
      const machines = machinesOf(dump);
      expect(Object.keys(machines).toSorted()).toEqual(Object.keys(expected.machines).toSorted());
      for (const [machine, want] of Object.entries(expected.machines)) {
        // How many are idle is for the book to say.
        expect({ ...machines[machine], idle: want.idle }).toEqual(want);
      }
    });

    test('models', () => {
      const models = Object.entries(expected.models).map(([model, row]) => {
        const { machines, cards, inSlices, unhealthy } = row;
        return [model, { machines, cards, allocatedWhole: row.allocatedWhole, inSlices, unhealthy }];
      });
      expect(modelsOf(dump)).toEqual(Object.fromEntries(models));
    });

    test('cards that HAMi slices', () => {
      expect(hamiCardsOf(dump)).toEqual(expected.hamiCards ?? {});
    });

    test('MIG and time slicing', () => {
      expect(migOf(dump)).toEqual(expected.mig ?? {});
      expect(Object.fromEntries(dump.timeSliced)).toEqual(expected.timeSliced ?? {});
    });

    test('problems and unknown resources', () => {
      expect(dump.problems).toEqual(expected.problems ?? []);
      expect(Object.fromEntries(dump.unknownResources)).toEqual(expected.unknownResources ?? {});
    });

    test('every request is read', async () => {
      const files = readdirSync(join(folder, 'requests'));
      expect(files.map((file) => file.replace('.yaml', ''))).toEqual(Object.keys(expected.place).toSorted());
      for (const file of files) {
        const read = await readRequests(join(folder, 'requests', file));
        expect(read.ok && read.value.map(({ kind, replicas }) => [kind, replicas])).toEqual([['Pod', 1]]);
      }
    });
  });

  test('what kube-scheduler reads from the requests', async () => {
    const folder = join(shared, 'cases', 'kubectl', 'fragmented', 'requests');
    const podOf = async (file: string) => {
      const read = await readRequests(join(folder, `${file}.yaml`));
      return read.ok ? read.value[0]?.podSets[0]?.pod : undefined;
    };
    expect((await podOf('init-heavy'))?.request.cpuMilli).toBe(40_000);
    expect((await podOf('sidecar-heavy'))?.request.cpuMilli).toBe(32_000);
    expect((await podOf('four-h100-rdma'))?.request.resources).toEqual(new Map([['rdma/hca', 4]]));
    expect((await podOf('expr-memory'))?.request.constraints.nodeTerms).toHaveLength(2);
    expect((await podOf('not-same-app'))?.request.constraints.podAntiAffinity[0]?.namespaces).toEqual(['online']);
  });

  test('pods of the fragmented cluster: finished, deleting, waiting, services', async () => {
    const read = await readDump(join(shared, 'cases', 'kubectl', 'fragmented'));
    if (!read.ok) throw new Error(inputErrorText(read.error));
    const { pods, finishedPods } = read.value;
    expect(finishedPods).toBe(3);
    expect(pods.filter((item) => item.isDeleting).map((item) => item.pod.id)).toEqual(['online/chat-6d9f7c-0001']);
    expect(pods.filter((item) => item.machine === null).map((item) => item.pod.id)).toEqual([
      'train/wait-big-0',
      'train/wait-big-1',
    ]);
    const chat = pods.filter((item) => item.pod.service === 'online/chat');
    expect(chat.map((item) => item.pod.serviceReplicas)).toEqual(chat.map(() => chat.length));
    expect(chat.length).toBe(11);
  });
});
