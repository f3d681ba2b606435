import { describeWithShared } from '@springtide/testkit/shared';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pendingPod } from './pending-pod.ts';
import { popContainer } from './to-allocate.ts';

/** The shape of the vectors is theirs. */
function load(shared: string): any {
  return JSON.parse(readFileSync(join(shared, 'cases', 'hami', 'protocol.json'), 'utf8'));
}

describeWithShared("the lab's device plug-in does what HAMi's was seen to do", (shared) => {
  const { plugin_allocate: allocations, plugin_pending_pod: searches } = load(shared);

  test.each(allocations as any[])(
    'Allocate: $name',
    ({ to_allocate, init_containers: init, app_containers: app, steps }) => {
      let text: string = to_allocate;
      for (const step of steps) {
        const popped = popContainer(text, 'NVIDIA', { init, app });
        if (step.error !== undefined) {
          expect(popped).toEqual({ ok: false, error: step.error });
          continue;
        }
        const names = Array.from({ length: init + app }, (_, index) =>
          index < init ? `init${index}` : `c${index - init}`,
        );
        expect(popped.ok && { ...popped, container: names[popped.container] }).toEqual({
          ok: true,
          cards: step.devices,
          container: step.given_to_container,
          rest: step.to_allocate_after,
          isLast: step.bind_phase === 'success',
        });
        text = step.to_allocate_after;
      }
    },
  );

  test.each(searches as any[])('which pod: $name', ({ node_lock, pod_annotations: annotations, pod_phase, found }) => {
    const metadata = { uid: 'a', namespace: 'team-a', name: 'pod-a', annotations };
    const pod = { metadata, spec: { containers: [] }, status: { phase: pod_phase } };
    const lock = String(node_lock).replace('<rfc3339-seconds>', '2000-01-01T00:00:00Z');
    const search = pendingPod({ node: 'node-a', lock: lock === '' ? null : lock, pods: [pod] });
    expect(search.ok).toBe(found);
  });
});
