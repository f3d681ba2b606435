/** A cluster on which it can be tried what would be. Undone in the reverse order of what was done. */
export interface Speculation<Job> {
  /** Places a waiting job on what is free. False: there is no room, and nothing has changed. */
  readonly place: (job: Job) => boolean;
  /** Frees what a running job holds. */
  readonly release: (job: Job) => void;
  /** A point to come back to. */
  readonly savepoint: () => number;
  readonly rollBack: (savepoint: number) => void;
}

export interface EasyPass<Job> {
  readonly cluster: Speculation<Job>;
  readonly nowMs: number;
  /** Jobs that wait, in their order. */
  readonly waiting: readonly Job[];
  /** Jobs that run, by `endsAtMs`. */
  readonly running: readonly Job[];
  /** When a running job is expected to end; what is overdue counts as ending now. */
  readonly endsAtMs: (job: Job) => number;
  /** How long a waiting job is expected to run. */
  readonly runTimeMs: (job: Job) => number;
  /** Jobs of one kind ask for the same, so that where one finds no room the others find none either. */
  readonly kindOf: (job: Job) => unknown;
}

/** What is promised to the head of a queue: it starts at this time at the latest, if jobs end as expected. */
export interface Reservation<Job> {
  readonly head: Job;
  readonly startsAtMs: number;
  /** Jobs that have ended by then. */
  readonly released: Job[];
}

export interface EasyOutcome<Job> {
  /** In the order in which they were placed; the cluster holds them. */
  readonly started: readonly Job[];
  /** The job that nobody may delay; null: nothing waits that could not be placed, or nobody asked to pass it. */
  readonly reservation: Reservation<Job> | null;
}

/**
 * EASY backfill (Lifka 1995; Mu'alem and Feitelson 2001): heads start while they fit; the first that does not gets a
 * reservation; one behind it starts if it ends before that, or if the head still finds its place then with it there.
 * The reservation is only worked out once somebody behind the head has room. O(waiting + kinds x running) placements.
 */
export function easyBackfill<Job>(pass: EasyPass<Job>): EasyOutcome<Job> {
  const { cluster, waiting, nowMs } = pass;
  const started: Job[] = [];
  for (const job of waiting) {
    if (!cluster.place(job)) break;
    started.push(job);
  }
  const head = waiting[started.length];
  if (head === undefined) return { started, reservation: null };
  const endsAtMs = new Map(started.map((job) => [job, nowMs + pass.runTimeMs(job)]));
  return backfill(pass, head, endsAtMs);
}

function backfill<Job>(pass: EasyPass<Job>, head: Job, startedEndsAtMs: Map<Job, number>): EasyOutcome<Job> {
  const { cluster, kindOf, nowMs } = pass;
  const headCount = startedEndsAtMs.size;
  const noRoom = new Set([kindOf(head)]);
  const delaysHead = new Set<unknown>();
  let reservation: Reservation<Job> | null = null;
  for (let at = headCount + 1; at < pass.waiting.length; at += 1) {
    const job = pass.waiting[at] as Job;
    const kind = kindOf(job);
    if (noRoom.has(kind)) continue;
    const before = cluster.savepoint();
    if (!cluster.place(job)) {
      noRoom.add(kind);
      continue;
    }
    cluster.rollBack(before);
    reservation ??= reserve(pass, head, startedEndsAtMs);
    const endsAtMs = nowMs + pass.runTimeMs(job);
    if (endsAtMs > reservation.startsAtMs && delaysHead.has(kind)) continue;
    cluster.place(job);
    if (endsAtMs <= reservation.startsAtMs) reservation.released.push(job);
    else if (!startsWhenReleased(cluster, reservation)) {
      cluster.rollBack(before);
      delaysHead.add(kind);
      continue;
    }
    startedEndsAtMs.set(job, endsAtMs);
    delaysHead.clear();
  }
  return { started: [...startedEndsAtMs.keys()], reservation };
}

/** When the head can start if jobs end as expected and nobody else starts. Infinity: not even when all have ended. */
function reserve<Job>(pass: EasyPass<Job>, head: Job, startedEndsAtMs: ReadonlyMap<Job, number>): Reservation<Job> {
  const { cluster, nowMs } = pass;
  const before = cluster.savepoint();
  const released: Job[] = [];
  const ends = startedEndsAtMs.size === 0 ? pass.running : byEnd(pass, startedEndsAtMs);
  const endsAtMs = (job: Job): number => startedEndsAtMs.get(job) ?? Math.max(nowMs, pass.endsAtMs(job));
  let startsAtMs = Infinity;
  for (const job of ends) {
    cluster.release(job);
    released.push(job);
    if (!cluster.place(head)) continue;
    startsAtMs = endsAtMs(job);
    break;
  }
  cluster.rollBack(before);
  return { head, startsAtMs, released };
}

function byEnd<Job>(pass: EasyPass<Job>, startedEndsAtMs: ReadonlyMap<Job, number>): Job[] {
  const ends = [...pass.running.map((job) => [job, pass.endsAtMs(job)] as const), ...startedEndsAtMs];
  return ends.toSorted(([, left], [, right]) => left - right).map(([job]) => job);
}

/** Whether the head finds its place at its promised time, with all that is placed now and does not end before. */
function startsWhenReleased<Job>(cluster: Speculation<Job>, { head, released }: Reservation<Job>): boolean {
  const before = cluster.savepoint();
  for (const job of released) cluster.release(job);
  const starts = cluster.place(head);
  cluster.rollBack(before);
  return starts;
}
