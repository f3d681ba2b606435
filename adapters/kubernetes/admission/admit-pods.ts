import type { AskedPods, PodVerdict } from '@springtide/ports/admission';
import type { Admit } from './admit.ts';
import { UNCHANGED } from './answer.ts';
import { askedPodsOf } from './asked-pods.ts';
import { podPatch } from './pod-patch.ts';

/** Admits pods, and workloads by the pods that they make, as `judge` says. */
export function admitPods(judge: (asked: AskedPods) => PodVerdict | Promise<PodVerdict>): Admit {
  return async (request) => {
    const asked = askedPodsOf(request);
    if (asked === null || request.object === null) return UNCHANGED;
    const verdict = await judge(asked);
    if (verdict.verdict === 'refused') return { answer: 'denied', message: verdict.message };
    const patch = podPatch(request.object, request.kind, asked, verdict.changes);
    return { answer: 'allowed', patch, warnings: verdict.warnings };
  };
}
