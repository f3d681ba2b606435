import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesSelector } from '@springtide/core/state';
import type { ClusterPod, DisruptionBudget } from '@springtide/ports/cluster';
import { aPod, isIn } from '@springtide/testkit/builders';
import { forAll } from '@springtide/testkit/property';
import { Budgets } from './budgets.ts';

const steps = fc.array(
  fc.record({
    deed: fc.constantFrom('pod', 'pod', 'pod gone', 'budget', 'budget', 'budget gone', 'ask'),
    id: fc.nat(5),
    app: fc.constantFrom('x', 'y'),
    isEverybody: fc.boolean(),
    isBound: fc.boolean(),
    disruptionsAllowed: fc.nat(1),
  }),
  { maxLength: 40 },
);

/** Pods and budgets with odd numbers are in one namespace, those with even ones in the other. */
function namespaceOf(id: number): string {
  return `n${id % 2}`;
}

function podOf(id: number, app: string, machine: string | null): ClusterPod {
  const pod = aPod(`${namespaceOf(id)}/p${id}`)
    .inNamespace(namespaceOf(id))
    .labelled('app', app)
    .build();
  // The rest of a pod says nothing about its budgets.
  return { uid: `u${id}`, pod, machine } as ClusterPod;
}

function allExhausted(pods: Iterable<ClusterPod>, budgets: Iterable<DisruptionBudget>): string[] {
  const empty = [...budgets].filter(({ disruptionsAllowed }) => disruptionsAllowed === 0);
  const exhausted = [...pods].filter(
    ({ pod, machine }) =>
      machine !== null &&
      empty.some(({ namespace, selector }) => namespace === pod.namespace && matchesSelector(selector, pod.labels)),
  );
  return exhausted.map(({ pod }) => pod.id).toSorted();
}

test('I10: which pods no budget lets go is the same whether followed or counted anew', () => {
  forAll(steps, (deeds) => {
    const pods = new Map<string, ClusterPod>();
    const known = new Map<string, DisruptionBudget>();
    const budgets = new Budgets(pods);
    let told: readonly string[] = [];
    for (const { deed, id, app, isEverybody, isBound, disruptionsAllowed } of deeds) {
      const pod = podOf(id, app, isBound ? 'm' : null);
      const namespace = namespaceOf(id);
      const selector = isEverybody ? [] : [isIn('app', app)];
      const budget = { uid: '', id: `${namespace}/b${id}`, namespace, selector, disruptionsAllowed };
      if (deed === 'pod') {
        pods.set(pod.uid, pod);
        budgets.seePod(pod);
      } else if (deed === 'pod gone') {
        if (pods.delete(pod.uid)) budgets.losePod(pod);
      } else if (deed === 'budget') {
        known.set(budget.id, budget);
        budgets.see(budget);
      } else if (deed === 'budget gone') {
        known.delete(budget.id);
        budgets.lose(budget.id);
      } else told = [...(budgets.takeChange() ?? told)].toSorted();
    }
    told = [...(budgets.takeChange() ?? told)].toSorted();
    expect(told).toEqual(allExhausted(pods.values(), known.values()));
    expect(budgets.takeChange()).toBe(null);
  });
});
