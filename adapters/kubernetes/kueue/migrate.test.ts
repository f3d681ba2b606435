import { describe, expect, test } from 'vitest';
import { InputFault, pathText } from '../fault.ts';
import { fieldsOf } from '../fields.ts';
import { Migrating, type Migration } from './migrate.ts';

function migrated(...objects: readonly object[]): Migration {
  const migrating = new Migrating();
  for (const object of objects) migrating.take(fieldsOf(object, null));
  return migrating.finish();
}

const of = (kind: string, name: string, spec: object, part: object = {}): object => ({
  apiVersion: 'kueue.x-k8s.io/v1beta2',
  kind,
  metadata: { name },
  spec,
  ...part,
});

const FLAVOR = of('ResourceFlavor', 'a100', { nodeLabels: { card: 'a100' } });
const group = (resources: readonly object[], name = 'a100'): object => ({
  coveredResources: resources.map((each) => (each as { name: string }).name),
  flavors: [{ name, resources }],
});
const queue = (spec: object, name = 'nlp'): object => of('ClusterQueue', name, { namespaceSelector: {}, ...spec });

const specOf = (migration: Migration, kind: string, name = 'nlp'): any =>
  migration.objects.find((each) => each.kind === kind && each.metadata.name === name)?.['spec'];

const lost = ({ losses }: Migration): string[] =>
  losses.map(({ kind, name, path, why }) => `${kind} ${name} ${path} ${why}`);

describe('migration from Kueue', () => {
  test('carries queues, cohorts and flavors of both versions over, without a loss', () => {
    const resources = [{ name: 'nvidia.com/gpu', nominalQuota: '40', borrowingLimit: 10, lendingLimit: '20' }];
    for (const cohort of [{ cohort: 'research' }, { cohortName: 'research' }]) {
      const migration = migrated(
        of('LocalQueue', 'main', { clusterQueue: 'nlp' }, { metadata: { name: 'main', namespace: 'team-a' } }),
        queue({ ...cohort, resourceGroups: [group(resources)], fairSharing: { weight: '500m' } }),
        FLAVOR,
        of('Cohort', 'research', { parentName: 'all' }),
      );
      expect(lost(migration)).toEqual([]);
      expect(migration.objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
        'Flavor a100',
        'Cohort all',
        'Cohort research',
        'Queue nlp',
      ]);
      expect(specOf(migration, 'Queue')).toEqual({
        cohort: 'research',
        weightMilli: 500,
        aliases: ['team-a/main'],
        flavors: [{ name: 'a100', resources: [{ name: 'cards', nominal: 40, borrowingLimit: 10, lendingLimit: 20 }] }],
        // Nothing is stopped where Kueue says nothing; ours would.
        preemption: { withinQueue: 'none', reclaimWithinCohort: 'none' },
      });
    }
  });

  test('counts what HAMi’s bridge makes as memory and compute of cards', () => {
    const resources = [
      { name: 'nvidia.com/total-gpumem', nominalQuota: '81920' },
      { name: 'nvidia.com/total-gpucores', nominalQuota: '800' },
    ];
    const migration = migrated(FLAVOR, queue({ resourceGroups: [group(resources)] }));
    expect(specOf(migration, 'Queue').flavors[0].resources).toEqual([
      { name: 'cardMemoryMiB', nominal: 81_920 },
      { name: 'computeMilli', nominal: 8000 },
    ]);
  });

  test.each<[string, object, string]>([
    ['a field that is new', { later: 1 }, 'spec.later unknown-field'],
    ['checks of v1beta1', { admissionChecks: ['x'] }, 'spec.admissionChecks admission-check'],
    ['a drain', { stopPolicy: 'HoldAndDrain' }, 'spec.stopPolicy drain'],
    [
      'another way through flavors',
      { flavorFungibility: { whenCanPreempt: 'Preempt' } },
      'spec.flavorFungibility.whenCanPreempt flavor-order',
    ],
    ['no namespaces', { namespaceSelector: null }, 'spec.namespaceSelector no-namespace'],
    ['some namespaces', { namespaceSelector: { matchLabels: { a: 'b' } } }, 'spec.namespaceSelector selector'],
    ['a weight beyond all', { fairSharing: { weight: '3G' } }, 'spec.fairSharing.weight weight'],
    [
      'the number of pods',
      { resourceGroups: [group([{ name: 'pods', nominalQuota: 1 }])] },
      'spec.resourceGroups[0].flavors[0].resources[0].name pods',
    ],
    [
      'cards of two vendors',
      {
        resourceGroups: [
          group([
            { name: 'nvidia.com/gpu', nominalQuota: 1 },
            { name: 'amd.com/gpu', nominalQuota: 1 },
          ]),
        ],
      },
      'spec.resourceGroups[0].flavors[0].resources[1].name counted-twice',
    ],
    ['a flavor that is not there', { resourceGroups: [group([{ name: 'cpu', nominalQuota: 1 }], 'h100')] }, ' tree'],
  ])('says by its field what is not as in Kueue: %s', (_, spec, want) => {
    expect(lost(migrated(FLAVOR, queue(spec)))).toEqual([`ClusterQueue nlp ${want}`]);
  });

  test('says what becomes of other objects', () => {
    const local = (name: string, spec: object): object =>
      of('LocalQueue', name, spec, { metadata: { name, namespace: 'a' } });
    const migration = migrated(
      queue({}),
      local('gone', { clusterQueue: 'nobody' }),
      local('held', { clusterQueue: 'nlp', stopPolicy: 'Hold' }),
      of('AdmissionCheck', 'x', {}),
      of('Workload', 'job-x', {}),
      of('Cohort', 'a', { parentName: 'b' }),
      of('Cohort', 'b', { parentName: 'a' }),
      of('WorkloadPriorityClass', 'top', {}, { value: 2_000_000_000, spec: undefined }),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } },
    );
    expect(lost(migration)).toEqual([
      'AdmissionCheck x  kind',
      'WorkloadPriorityClass top value priority',
      'LocalQueue a/gone spec.clusterQueue no-cluster-queue',
      'LocalQueue a/held spec.stopPolicy local-stop',
      'Cohort a  tree',
      'Cohort b  tree',
    ]);
    expect(specOf(migration, 'Queue').aliases).toBeUndefined();
  });

  test.each<[object, string]>([
    [queue({ queueingStrategy: 'Random' }), 'spec.queueingStrategy: one of BestEffortFIFO, StrictFIFO'],
    [
      queue({ resourceGroups: [group([{ name: 'cpu', nominalQuota: '-1' }])] }),
      'spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: a quantity that is not negative',
    ],
    [
      queue({ resourceGroups: [group([{ name: 'cpu', nominalQuota: '1e30' }])] }),
      'spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: a quantity of at most 10^15',
    ],
    [
      queue({ preemption: { borrowWithinCohort: { policy: 'Any' } } }),
      'spec.preemption.borrowWithinCohort.policy: one of Never, LowerPriority',
    ],
  ])('what cannot be read is refused with its field', (object, want) => {
    try {
      migrated(object);
      throw new Error('it was accepted');
    } catch (error) {
      if (!(error instanceof InputFault)) throw error;
      expect(`${pathText(error.path)}: ${error.expected}`).toBe(want);
    }
  });
});
