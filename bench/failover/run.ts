import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Space, until } from '@springtide/testkit/controlplane/fixtures';
import type { ControlPlane } from '@springtide/testkit/controlplane';
import { brokenAlways, brokenAtRest, readState } from '@springtide/testkit/invariants';

/** What came of one leader that was killed. */
export interface FailoverRun {
  /** Bound by the first leader when it was killed. */
  readonly boundBefore: number;
  /** From the kill until the other had the lease, until its first bind, and until all pods were bound. */
  readonly leaseMs: number;
  readonly takeoverMs: number;
  readonly finishedMs: number;
  readonly doubleBinds: number;
  readonly lostPods: number;
  readonly cardsTwice: number;
}

export interface FailoverOptions {
  readonly pods: number;
  /** Made when all pods wait, so that all are in flight at once. */
  readonly nodes: number;
  readonly cards: number;
  /** The leader is killed when so many are bound. */
  readonly killedAt: number;
}

const PROGRAM = fileURLToPath(new URL('../../cli/springtide.js', import.meta.url));
const WAIT_MS = 180_000;
const POLL_MS = 50;

/** Two schedulers as they ship, each in a process of its own; the leader is killed (SIGKILL) with pods in flight. */
export async function failoverRun(plane: ControlPlane, space: Space, options: FailoverOptions): Promise<FailoverRun> {
  const name = `failover-${space.id}`;
  const watches = await watchesBegun(plane);
  const leases = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/springtide-scheduler-${name}`;
  const first = scheduler(plane, name);
  await until('the first leads', async () => (await plane.api.send({ method: 'GET', path: leases })).status === 200);
  const second = scheduler(plane, name);
  try {
    await until('both watch', async () => (await watchesBegun(plane)) >= watches + 2, WAIT_MS);
    await createPods(space, name, options.pods);
    const nodes = space.addNodes(options.nodes, { cards: options.cards });
    await untilBound(space, options.killedAt);
    const killedAtMs = Date.now();
    first.kill('SIGKILL');
    await once(first, 'exit');
    const boundBefore = await boundCount(space);
    await nodes;
    // What the first had sent arrives within moments: whatever comes after a quiet second is the other's.
    const left = await untilQuiet(space);
    await untilBound(space, Math.min(options.pods, left + 1));
    const takeoverMs = Date.now() - killedAtMs;
    const lease = await plane.api.get(leases);
    const leaseMs = Date.parse(lease.spec.acquireTime) - killedAtMs;
    await untilBound(space, options.pods);
    const finishedMs = Date.now() - killedAtMs;
    return { boundBefore, leaseMs, takeoverMs, finishedMs, ...(await broken(plane, space, name)) };
  } finally {
    for (const child of [first, second]) child.kill('SIGKILL');
  }
}

function scheduler(plane: ControlPlane, name: string): ChildProcess {
  const words = ['scheduler', '--kubeconfig', plane.adminKubeconfig, '--name', name, '--listen', '127.0.0.1:0'];
  return spawn(process.execPath, [PROGRAM, ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function createPods(space: Space, schedulerName: string, count: number): Promise<void> {
  const AT_ONCE = 50;
  for (let from = 0; from < count; from += AT_ONCE) {
    const names = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => `p${from + index}`);
    await Promise.all(names.map((pod) => space.addPod(pod, { cards: 1, cpu: '10m', memory: '1Mi', schedulerName })));
  }
}

async function boundCount(space: Space): Promise<number> {
  return (await space.pods()).filter((pod) => pod.spec.nodeName !== undefined).length;
}

/** Waits until so many pods are bound; how many are. */
async function untilBound(space: Space, count: number): Promise<number> {
  let bound = 0;
  for (const endMs = Date.now() + WAIT_MS; Date.now() < endMs; ) {
    bound = await boundCount(space);
    if (bound >= count) return bound;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`${bound} of ${count} pods were bound in ${WAIT_MS} ms`);
}

/** Watches of pods that schedulers have begun so far. */
async function watchesBegun(plane: ControlPlane): Promise<number> {
  let count = 0;
  for await (const { verb, stage, objectRef, userAgent } of plane.auditEvents()) {
    if (verb !== 'watch' || stage !== 'ResponseStarted') continue;
    if (objectRef?.resource === 'pods' && userAgent === 'springtide') count += 1;
  }
  return count;
}

/** How many pods are bound once none has been for a second. */
async function untilQuiet(space: Space): Promise<number> {
  let bound = await boundCount(space);
  for (let sinceMs = Date.now(); Date.now() - sinceMs < 1000; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const now = await boundCount(space);
    if (now !== bound) sinceMs = Date.now();
    bound = now;
  }
  return bound;
}

/** Read from the API server and its audit log alone. */
async function broken(
  plane: ControlPlane,
  space: Space,
  name: string,
): Promise<Pick<FailoverRun, 'doubleBinds' | 'lostPods' | 'cardsTwice'>> {
  const state = await readState(plane, space);
  const always = brokenAlways(state);
  const atRest = brokenAtRest(state, name);
  const waiting = state.pods.filter((pod) => pod.spec.nodeName === undefined).length;
  for (const line of [...always, ...atRest]) console.log(line);
  return {
    doubleBinds: always.filter((line) => line.startsWith('I6')).length,
    cardsTwice: always.filter((line) => line.startsWith('I1')).length,
    lostPods: waiting + state.created.size - state.pods.length,
  };
}
