import { describeWithShared } from '@springtide/testkit/shared';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clusterOf, dumpAt } from '../../cluster/index.ts';
import { inspect } from './inspection.ts';
import { inspectionJson } from './json.ts';

type Sections = Record<string, Record<string, unknown>>;

/** Parts of `expected.json` that `inspect --json` repeats under the same names. */
const KEYED = ['models', 'machines', 'hamiCards', 'mig', 'timeSliced', 'unknownResources'] as const;

async function inspected(folder: string): Promise<Sections> {
  const found = inspect(clusterOf(await dumpAt(folder), 'tide'));
  return JSON.parse(JSON.stringify(inspectionJson(found))) as Sections;
}

describeWithShared('inspect on the recorded clusters (issue 3, done when 7)', (shared) => {
  describe.each(['fragmented', 'slices', 'domestic'])('%s', (name) => {
    const folder = join(shared, 'cases', 'kubectl', name);
    const want = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Sections;

    test.each(KEYED)('%s have the same keys and counts', async (key) => {
      const got = await inspected(folder);
      expect(Object.keys(got[key] ?? {}).toSorted()).toEqual(Object.keys(want[key] ?? {}).toSorted());
      expect(got[key]).toMatchObject(want[key] ?? {});
    });

    test('the problems are the same ones', async () => {
      expect((await inspected(folder))['problems']).toEqual(want['problems'] ?? []);
    });

    test('idle cards add up over models and machines', async () => {
      const { models = {}, fragmentation = {}, hamiCards = {}, mig = {} } = await inspected(folder);
      const idle = Object.values(models).reduce<number>((sum, each) => sum + (each as { idle: number }).idle, 0);
      // Cards on machines that are counted whole, by HAMi, or beside MIG instances.
      const cards = Object.values(hamiCards).flatMap((each) =>
        Object.values(each as Record<string, { pods: string[]; healthy: boolean }>),
      );
      const hami = cards.filter(({ pods, healthy }) => healthy && pods.length === 0).length;
      const whole = Object.values(mig).reduce<number>((sum, each) => {
        const { wholeCards, wholeAllocated } = each as { wholeCards: number; wholeAllocated: number };
        return sum + wholeCards - wholeAllocated;
      }, 0);
      expect(fragmentation['idle']).toBe(idle + hami + whole);
    });
  });
});
