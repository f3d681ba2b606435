import type { Request } from '@springtide/core/model';
import { requestText } from '@springtide/wire/reasons';

/** What a request asks for. Of the pod's containers there is nothing in it, so nothing that could be a secret. */
export function requestJson(request: Request): object {
  const { cards, cpuMilli, memoryBytes, resources, constraints } = request;
  return {
    text: requestText({ language: 'en' }, request),
    cards,
    cpuMilli,
    memoryBytes,
    resources: Object.fromEntries(resources),
    nodeSelector: Object.fromEntries(constraints.nodeSelector),
  };
}
