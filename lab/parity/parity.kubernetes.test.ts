import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ControlPlane } from '@springtide/testkit/controlplane';
import { startQuietPlane } from '@springtide/testkit/controlplane/verdicts';
import { randomCluster } from '@springtide/testkit/kubectl';
import { sharedDir } from '@springtide/testkit/shared';
import { ASKED, caseObjects, compareCluster, intendedCluster } from './index.ts';

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startQuietPlane();
});

afterAll(async () => plane?.stop());

describe('KP-1: feasible exactly where kube-scheduler finds it feasible', () => {
  test.each([1, 2, 3])('random cluster %i, by watches', async (seed) => {
    const objects = randomCluster({ seed, schedulerName: ASKED });
    const { answers, feasible, differences } = await compareCluster(plane, objects, ['live']);
    expect(answers).toBe(20 * 15);
    expect(feasible).toBeGreaterThan(20);
    expect(differences).toEqual([]);
  });

  test('a random cluster of nodes and pods alone, by watches and by a dump', async () => {
    const objects = randomCluster({ seed: 1, isPlain: true, schedulerName: ASKED });
    const { answers, differences } = await compareCluster(plane, objects, ['live', 'dump']);
    expect(answers).toBe(20 * 15);
    expect(differences).toEqual([]);
  });

  const shared = sharedDir();
  test.skipIf(shared === null)('a dump of a real API server, by watches and by a dump', async () => {
    const objects = await caseObjects(plane, join(shared ?? '', 'cases', 'kubectl', 'fragmented'));
    const { answers, differences } = await compareCluster(plane, objects, ['live', 'dump']);
    expect(answers).toBe(26 * 15);
    expect(differences).toEqual([]);
  });
});

test('KP-4 to KP-9: what is meant to differ differs, and nothing else', async () => {
  const { objects, intended } = intendedCluster();
  const { differences } = await compareCluster(plane, objects, ['live']);
  const found = differences.map(({ pod, machine, ours }) => ({ pod, machine, ours }));
  const wanted = intended.map(({ pod, machine, ours }) => ({ pod, machine, ours }));
  expect(found.toSorted(byPod)).toEqual(wanted.toSorted(byPod));
});

function byPod(left: { readonly pod: string }, right: { readonly pod: string }): number {
  return left.pod < right.pod ? -1 : 1;
}
