import type { CardRequest, JobWait, QuotaLack } from '../model/index.ts';
import type { Book } from '../state/index.ts';
import { lacksOf, type Quota, type QuotaDemand } from '../quota/index.ts';
import type { Refused } from './attempt.ts';
import type { Entry } from './entry.ts';
import type { Jobs } from './jobs.ts';
import type { Line } from './lines.ts';
import type { FlavoredSet } from './start-options.ts';

/** Why a job waits now, in full. O(its quota slots x queues, machines). */
export function waitOf(jobs: Jobs, entry: Entry): JobWait {
  const { record, line, job, lane } = entry;
  if (record.state === 'reserved') {
    const left = entry.victims.filter(({ leaving }) => leaving?.by === entry);
    return { kind: 'eviction', jobs: left.map(({ id }) => id), untilMs: Math.max(...left.map(({ dueMs }) => dueMs)) };
  }
  if (line === null || line.spec.isStopped) return { kind: 'no-queue', queue: job.workload.queue };
  if (record.retryAtMs > jobs.nowMs) {
    return { kind: 'back-off', untilMs: record.retryAtMs, cause: record.leaves ?? 'failed' };
  }
  const { blocked } = line;
  if (blocked !== null && blocked !== entry) return { kind: 'behind', job: blocked.id };
  // What rests in a lane is refused when its first is.
  const refused = entry.refused ?? lane?.entries.first?.refused ?? null;
  return refused === null ? { kind: 'turn' } : told(jobs, line, job.workload.tenant, refused);
}

function told({ fleet }: Jobs, { spec }: Line, tenant: string, refused: Refused): JobWait {
  if (refused.kind === 'flavor') return { kind: 'flavor', there: spec.flavors };
  if (refused.kind === 'delays') return { kind: 'would-delay', job: refused.job, startMs: refused.startMs };
  const { sets, demand } = refused.option;
  if (refused.kind === 'quota') {
    const lacks = refused.isOwnOnly ? ownLacks(fleet.quota, demand) : lacksOf(fleet.quota, demand);
    return lacks.length === 0 ? { kind: 'turn' } : { kind: 'quota', lacks };
  }
  const { membersPlaced, members, nearest, refusals } = refused.refusal;
  const cardsAsked = sets.reduce((sum, { set }) => sum + set.count * cardsOf(set.request.cards), 0);
  const where = { flavor: sets[0]?.flavor ?? '', nearest, refusals };
  const cardsFree = cardsFreeFor(fleet.book, sets, tenant);
  return { kind: 'place', ...where, cardsAsked, cardsFree, podsPlaced: membersPlaced, pods: members };
}

/** What its queue's own quota is short of, for a job that may not borrow. */
function ownLacks({ tree, ledger }: Quota, { queue, slots, amounts }: QuotaDemand): QuotaLack[] {
  return [...slots].flatMap((slot, i) => {
    const asked = amounts[i] as number;
    const available = Math.max(0, (tree.owned[slot] as number) - (ledger.used[slot] as number));
    const cell = tree.cells[tree.cellOf[slot] as number];
    if (available >= asked || cell === undefined) return [];
    return [{ flavor: cell.flavor, resource: cell.resource, node: queue, asked, available, borrowers: [] }];
  });
}

/** Free cards of the machines that some of its pods may be on. O(machines). */
function cardsFreeFor(book: Book, sets: readonly FlavoredSet[], tenant: string): number {
  const classes = sets.map(({ set }) => book.classOf(set.request, tenant));
  return book.cardsFree.reduce((sum, free, machine) => {
    const isOpen = classes.some(({ staticRefusal }) => staticRefusal[machine] === 0);
    return isOpen ? sum + Math.max(0, free) : sum;
  }, 0);
}

function cardsOf(cards: CardRequest): number {
  return cards.kind === 'none' ? 0 : cards.count;
}

/** What is told of a refusal, in short: it is told again when this differs. O(1). */
export function toldKey(refused: Refused): string {
  if (refused.kind === 'flavor') return 'flavor';
  if (refused.kind === 'delays') return `delays ${refused.job}`;
  const flavors = refused.option.sets.map(({ flavor }) => flavor).join(' ');
  if (refused.kind === 'quota') return `quota ${flavors}`;
  return `place ${flavors} ${refused.refusal.refusals.map(({ filter }) => filter).join(' ')}`;
}
