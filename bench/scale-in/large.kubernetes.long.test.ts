import { startControlPlane } from '@springtide/testkit/controlplane';
import { expect, onTestFinished, test } from 'vitest';
import type { Layout } from './layouts.ts';
import { runScaleIn } from './run.ts';
import { startWebhook, STEERED } from './webhook.ts';

/** Five hundred replicas, six or seven on each machine. */
const REPLICAS = 500;
const MACHINES = 73;
const LARGE: Layout = {
  seed: 0,
  machines: MACHINES,
  asks: { cards: 1, parts: 1 },
  replicas: Array.from({ length: REPLICAS }, (_, i) => ({ machine: i % MACHINES, card: Math.floor(i / MACHINES) })),
  others: [],
  to: REPLICAS / 2,
};

test('P6: of 500 replicas half leave: the change is let through in time, and whoever was marked leaves', async () => {
  const plane = await startControlPlane({ auditLevel: 'None' });
  onTestFinished(() => plane.stop());
  const webhook = await startWebhook(plane);
  onTestFinished(() => webhook.stop());
  const { chosen, deleted, freed, answeredMs } = await runScaleIn(plane, LARGE, STEERED);
  console.log(`answered after ${answeredMs} ms, ${chosen.length} marked, ${freed.machines} machines freed`);
  expect(answeredMs).toBeLessThan(10_000);
  expect(deleted).toHaveLength(REPLICAS - LARGE.to);
  // On a machine too busy to mark all in time, the rest goes by Kubernetes' own order.
  expect(deleted).toEqual(expect.arrayContaining([...chosen]));
  expect(chosen.length).toBeGreaterThan(0);
});
