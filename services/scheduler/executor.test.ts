import type { BindAnswer, BindOrder, Cluster, ClusterOrders } from '@springtide/ports/cluster';
import { aClusterPod, aPod } from '@springtide/testkit/builders';
import { settled, VirtualClock } from '@springtide/testkit/clock';
import { expect, test } from 'vitest';
import { Executor } from './executor.ts';
import { SchedulerMetrics } from './metrics.ts';
import { Translator } from './translator.ts';

/** An executor whose binds are answered when a test says so. */
function desk() {
  const sent: { readonly order: BindOrder; readonly answer: (answer: BindAnswer) => void }[] = [];
  const bind = (order: BindOrder): Promise<BindAnswer> => new Promise((answer) => void sent.push({ order, answer }));
  const translator = new Translator('springtide');
  const notes: string[] = [];
  const record: Cluster['record'] = ({ reason, note }) => {
    notes.push(`${reason}: ${note}`);
    return 'kept';
  };
  const executor = new Executor({
    cluster: { record } as Cluster,
    clock: new VirtualClock(),
    metrics: new SchedulerMetrics(),
    translator,
    machineOf: () => undefined,
    onAnswer: () => {},
  });
  executor.orders = { bind } as ClusterOrders;
  const order = (uid: string, machine: string): void => {
    translator.translate([{ kind: 'pod-seen', pod: aClusterPod(aPod(uid).build()) }]);
    void executor.carryOut({ kind: 'bind', uid, pod: uid, machine, slices: [] });
  };
  return { executor, sent, notes, order };
}

test('a machine that takes pods slowly holds up no other: what waits for it is not under way', async () => {
  const { executor, sent, order } = desk();
  for (let index = 0; index < 1000; index += 1) order(`t/p${index}`, 'slow');
  await settled();
  expect([sent.length, executor.counts().inFlight, executor.isFull]).toEqual([4, 4, false]);
  order('t/other', 'quick');
  await settled();
  expect(sent.at(-1)?.order.machine).toBe('quick');
  sent[0]?.answer({ answer: 'bound' });
  await settled();
  expect(sent.at(-1)?.order.pod.name).toBe('p4');
});

test('orders to many machines are under way up to a bound', async () => {
  const { executor, order } = desk();
  for (let index = 0; index < 512; index += 1) order(`t/p${index}`, `m${index}`);
  await settled();
  expect([executor.counts().inFlight, executor.isFull]).toEqual([512, true]);
});
