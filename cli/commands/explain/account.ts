import type { ObservedPod } from '@springtide/adapters/kubernetes';
import type { Explanation, Machine } from '@springtide/core/model';
import { explain, standingOf, type Standing } from '@springtide/core/placement';
import type { Book, Holding } from '@springtide/core/state';
import { message, type Language } from '@springtide/wire/messages';
import { grouped, machinesText, mibText, percentText, type Wording } from '@springtide/wire/reasons';
import {
  askLines,
  bestLines,
  comma,
  indented,
  needsText,
  reasonLines,
  requestJson,
  wordingOf,
  type Cluster,
} from '../../cluster/index.ts';

/** Everything there is to say about one pod of a dump. */
export interface Account {
  readonly observed: ObservedPod;
  readonly holding: Holding | null;
  /** Where it would go now, if it were nowhere. */
  readonly explanation: Explanation;
  /** How its own machine ranks among those; null: it waits. */
  readonly standing: Standing | null;
}

/** The book is as before afterwards. */
export function accountOf({ book, placer }: Cluster, observed: ObservedPod): Account {
  const { pod } = observed;
  const holding = book.holdings.get(pod.id) ?? null;
  if (holding === null) return { observed, holding, explanation: explain(placer, pod), standing: null };
  const savepoint = book.savepoint();
  book.release(pod.id);
  const explanation = explain(placer, pod);
  const standing = standingOf(placer, pod, holding.machine);
  book.rollBack(savepoint);
  return { observed, holding, explanation, standing };
}

interface HeldCard {
  readonly card: string;
  readonly memoryMiB: number;
  readonly computeMilli: number;
}

function heldCards(book: Book, { cards, memoryMiB, computeMilli }: Holding): HeldCard[] {
  return cards.map((card, i) => ({
    card: book.cardIds[card] as string,
    memoryMiB: memoryMiB[i] as number,
    computeMilli: computeMilli[i] as number,
  }));
}

export function accountJson({ book }: Cluster, account: Account): object {
  const { observed, holding, explanation, standing } = account;
  const { pod, phase, isDeleting, isGated, hasClaims } = observed;
  return {
    pod: pod.id,
    phase,
    state: holding === null ? 'waiting' : 'placed',
    machine: observed.machine,
    deleting: isDeleting,
    gated: isGated,
    hasClaims,
    request: requestJson(pod.request),
    held: holding === null ? [] : heldCards(book, holding),
    guessed: holding !== null && holding.cards.length > 0 && holding.guessed,
    cardsMissing: holding?.cardsMissing ?? 0,
    standing,
    explanation,
  };
}

export function accountLines(cluster: Cluster, account: Account, language: Language): string[] {
  const wording = wordingOf(cluster, language);
  const { observed, explanation } = account;
  const { request } = observed.pod;
  const notes: string[] = [];
  if (observed.isGated) notes.push(message(language, 'explain.gated'));
  if (observed.hasClaims) notes.push(message(language, 'explain.claims'));
  const head =
    account.holding === null ? waitingLines(cluster, wording, account) : placedLines(cluster, wording, account);
  const reasons = [...reasonLines(cluster, wording, explanation), ...bestLines(wording, explanation.best)];
  return [...head, ...indented([...askLines(wording, request), ...notes, ...reasons])];
}

function waitingLines(cluster: Cluster, wording: Wording, { observed, explanation }: Account): string[] {
  const { language } = wording;
  const { policy, machine, cards } = explanation;
  const pod = observed.pod.id;
  if (machine === null) {
    const machines = machinesText(wording, cluster.book.machines.length);
    return [message(language, 'explain.fitsNowhere', { pod, machines })];
  }
  if (cards.length === 0) return [message(language, 'explain.wouldGo', { pod, policy, machine })];
  const values = { pod, policy, machine, count: cards.length, cards: cards.join(', ') };
  return [message(language, 'explain.wouldGoCards', values)];
}

function placedLines(cluster: Cluster, wording: Wording, account: Account): string[] {
  const { language } = wording;
  const { observed, holding, explanation, standing } = account;
  if (holding === null || standing === null) return [];
  const machine = (cluster.book.machines[holding.machine] as Machine).id;
  const key = observed.isDeleting ? 'explain.leaves' : 'explain.runs';
  const lines = [
    message(language, key, { pod: observed.pod.id, machine }),
    ...indented(holdingLines(cluster, wording, holding)),
  ];
  const { policy } = explanation;
  if (standing.rank === null) {
    const needs = needsText(wording, standing.obstacles);
    return [...lines, ...indented([message(language, 'explain.notAgain', { machine, needs })])];
  }
  const rank = { policy, machine, rank: grouped(standing.rank), count: grouped(standing.feasibleMachines) };
  const other = explanation.machine ?? machine;
  const choice =
    other === machine
      ? message(language, 'explain.best', { policy })
      : message(language, 'explain.other', { policy, other });
  return [...lines, ...indented([message(language, 'explain.rank', rank), choice])];
}

function holdingLines({ book }: Cluster, { language }: Wording, holding: Holding): string[] {
  const { guessed, cardsMissing: count } = holding;
  if (holding.cards.length === 0 && count === 0) return [message(language, 'explain.holdsNothing')];
  const isWhole = holding.pod.request.cards.kind === 'whole';
  const cards = heldCards(book, holding).map(({ card, memoryMiB, computeMilli }) => {
    const parts = [memoryMiB > 0 ? mibText(memoryMiB) : '', computeMilli > 0 ? percentText(computeMilli) : ''];
    const text = parts.filter((part) => part !== '').join(comma(language));
    return isWhole || text === '' ? card : message(language, 'explain.slice', { card, parts: text });
  });
  const lines = cards.length === 0 ? [] : [message(language, 'explain.holds', { cards: cards.join(comma(language)) })];
  if (guessed && cards.length > 0) lines.push(message(language, 'explain.guessed'));
  if (count > 0) lines.push(message(language, 'explain.missing', { count }));
  return lines;
}
