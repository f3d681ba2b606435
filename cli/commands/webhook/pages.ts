import { type Inlet, type Page, plain, type Route } from '@springtide/adapters/http';
import { admitted } from '@springtide/adapters/kubernetes/admission';
import type { Clock } from '@springtide/ports/clock';
import type { WebhookMetrics } from '@springtide/services/webhook';
import type { AdmissionRoute } from './routes.ts';

/** Objects are 3 MiB at most in an API server, and a review may hold two of them. */
const REVIEW_BYTES_MAX = 8 << 20;

/** Where the API server posts its reviews. It shows no token: whoever reaches a path may ask. */
export function inletsOf(routes: readonly AdmissionRoute[], metrics: WebhookMetrics, clock: Clock): Inlet[] {
  return routes.map(({ path, admit, msMax }) => ({
    path,
    bytesMax: REVIEW_BYTES_MAX,
    answer: async (posted): Promise<Page> => {
      const beganMs = clock.nowMs();
      const { status, outcome, body } = await admitted(posted, admit, clock, msMax);
      metrics.answered(path, outcome, clock.nowMs() - beganMs);
      return status === 200 ? { status, contentType: 'application/json', body } : plain(status, body);
    },
  }));
}

/** What a webhook shows: whether it is well to everybody, its metrics to those who may. `missing`: what it waits for. */
export function pagesOf(metrics: WebhookMetrics, missing: () => readonly string[]): Route[] {
  const readiness = (): Page => {
    const lines = missing().map((each) => `[-]${each}`);
    return plain(lines.length === 0 ? 200 : 503, [...lines, lines.length === 0 ? 'ok' : 'failed'].join('\n'));
  };
  return [
    { path: '/healthz', isOpen: true, page: () => plain(200, 'ok') },
    { path: '/readyz', isOpen: true, page: readiness },
    { path: '/metrics', isOpen: false, page: () => metricsPage(metrics) },
  ];
}

async function metricsPage(metrics: WebhookMetrics): Promise<Page> {
  return { status: 200, contentType: metrics.registry.contentType, body: await metrics.text() };
}
