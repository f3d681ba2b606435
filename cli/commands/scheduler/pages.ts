import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { type Page, plain, type Route, type Verdict } from '@springtide/adapters/http';
import type { Reviews } from '@springtide/adapters/kubernetes/client';
import type { Clock } from '@springtide/ports/clock';
import { dumpLines, type Health, type SchedulerService } from '@springtide/services/scheduler';
import manifest from '../../package.json' with { type: 'json' };

/** What a scheduler shows over HTTP: whether it is well to everybody, the rest to those who may. */
export function pagesOf(service: SchedulerService, clock: Clock): Route[] {
  return [
    { path: '/healthz', isOpen: true, page: () => healthPage(service.liveness()) },
    { path: '/readyz', isOpen: true, page: () => healthPage(service.readiness()) },
    { path: '/metrics', isOpen: false, page: () => metricsPage(service, clock) },
    { path: '/debug/state', isOpen: false, page: statePages(service) },
  ];
}

const BUSY = 'a dump is being sent already';

/** Lines of a dump that are handed on together. */
const PIECE_CHARS = 65_536;

/** The dump, one at a time: each takes time and holds what it tells of in memory until it is sent. */
function statePages(service: SchedulerService): () => Page {
  let isDumping = false;
  const body = async function* (): AsyncGenerator<Uint8Array> {
    if (isDumping) throw new Error(BUSY);
    isDumping = true;
    try {
      const lines = Readable.from(pieces(dumpLines(service.dump(manifest.version))));
      // Level 1 makes it nearly as small as more would, at a third of the time.
      yield* pipeline(lines, createGzip({ level: 1 }), () => {});
    } finally {
      isDumping = false;
    }
  };
  return () => (isDumping ? plain(429, BUSY) : { status: 200, contentType: 'application/gzip', body: body() });
}

function* pieces(lines: Iterable<string>): Generator<Buffer> {
  let piece: string[] = [];
  let chars = 0;
  for (const line of lines) {
    piece.push(line);
    chars += line.length;
    if (chars < PIECE_CHARS) continue;
    yield Buffer.from(piece.join(''));
    piece = [];
    chars = 0;
  }
  yield Buffer.from(piece.join(''));
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
