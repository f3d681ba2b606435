import { startControlPlane } from '@springtide/testkit/controlplane';
import { expect, onTestFinished, test } from 'vitest';
import { springtide } from './parties.ts';
import { planOf } from './plan.ts';
import { runGangs } from './run.ts';

// Native gangs are off by default, so that this needs a control plane of its own.
test('P5, I3: twelve gangs on a cluster that holds 60 % of them all run, and none is bound in part for long', async () => {
  const plane = await startControlPlane({
    featureGates: { GenericWorkload: true },
    runtimeConfig: { 'scheduling.k8s.io/v1beta1': true },
    auditLevel: 'None',
  });
  onTestFinished(() => plane.stop());
  const plan = planOf({
    seed: 1,
    count: 12,
    membersMin: 2,
    membersMax: 8,
    runsForSecondsMin: 1,
    runsForSecondsMax: 3,
  });
  const run = await runGangs(plane, springtide, plan, 60_000);
  expect(run).toMatchObject({ gangsStarted: 12, podsLost: 0 });
  expect(run.longestPartMs).toBeLessThan(5000);
});
