import type { WatchState } from '@springtide/ports/cluster';

export interface Health {
  readonly isWell: boolean;
  /** One line for each thing that was looked at, `[+]` or `[-]` before it, as Kubernetes' own parts tell. */
  readonly lines: readonly string[];
}

/** The loop passes at least every ten seconds: one that has not for so long hangs. */
export const LOOP_MS_MAX = 60_000;
/** A view that has heard nothing for so long is not decided on (I5). */
export const STALE_MS = 60_000;

/** Whether the process should live on. */
export function liveness(loopIdleMs: number): Health {
  const isWell = loopIdleMs <= LOOP_MS_MAX;
  const seconds = Math.round(loopIdleMs / 1000);
  return { isWell, lines: [isWell ? '[+]loop ok' : `[-]loop: no pass for ${seconds} s`] };
}

/** Whether it knows its cluster: the first lists are complete, and what decisions rest on is being watched. */
export function readiness(isSynced: boolean, watches: readonly WatchState[], nowMs: number): Health {
  const lines = watches.map((watch) => {
    const trouble = troubleOf(watch, nowMs);
    return trouble === '' ? `[+]watch ${watch.source} ok` : `[-]watch ${watch.source}: ${trouble}`;
  });
  const isWell = isSynced && lines.every((line) => line.startsWith('[+]'));
  return { isWell, lines: [...lines, isSynced ? '[+]lists complete' : '[-]lists: not complete yet'] };
}

function troubleOf(watch: WatchState, nowMs: number): string {
  const why = watch.why === '' ? '' : ` (${watch.why})`;
  if (!watch.isSynced) return `not listed yet${why}`;
  return isStale(watch, nowMs) ? `disconnected for ${secondsSince(watch, nowMs)} s${why}` : '';
}

function secondsSince({ disconnectedSinceMs }: WatchState, nowMs: number): number {
  return Math.round((nowMs - (disconnectedSinceMs ?? nowMs)) / 1000);
}

/** Machines and pods decide where things go: without them for too long nothing is decided. */
export function isStale({ watched, disconnectedSinceMs }: WatchState, nowMs: number): boolean {
  const matters = watched === 'machines' || watched === 'pods';
  return matters && disconnectedSinceMs !== null && nowMs - disconnectedSinceMs >= STALE_MS;
}
