import { type Page, plain, type Route, type Verdict } from '@springtide/adapters/http';
import type { Reviews } from '@springtide/adapters/kubernetes/client';
import type { Clock } from '@springtide/ports/clock';
import type { Health, SchedulerService } from '@springtide/services/scheduler';

/** What a scheduler shows over HTTP: whether it is well to everybody, the rest to those who may. */
export function pagesOf(service: SchedulerService, clock: Clock): Route[] {
  return [
    { path: '/healthz', isOpen: true, page: () => healthPage(service.liveness()) },
    { path: '/readyz', isOpen: true, page: () => healthPage(service.readiness()) },
    { path: '/metrics', isOpen: false, page: () => metricsPage(service, clock) },
  ];
}

function healthPage({ isWell, lines }: Health): Page {
  return plain(isWell ? 200 : 503, [...lines, isWell ? 'ok' : 'failed'].join('\n'));
}

async function metricsPage(service: SchedulerService, clock: Clock): Promise<Page> {
  const body = await service.metrics.text(service.facts(), clock.nowMs());
  return { status: 200, contentType: service.metrics.registry.contentType, body };
}

/** The API server's word on who asks. */
export async function judged(reviews: Reviews, token: string, path: string): Promise<Verdict> {
  const review = await reviews.mayGet(token, path);
  return review?.ok === true ? review.value : 'unavailable';
}
