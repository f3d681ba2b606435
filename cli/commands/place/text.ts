import type { Machine } from '@springtide/core/model';
import type { Holding } from '@springtide/core/state';
import { message, type Language } from '@springtide/wire/messages';
import { grouped, refusalText, requestText, selectorTexts, type Wording } from '@springtide/wire/reasons';
import { bestLines, comma, indented, reasonLines, wordingOf, type Cluster } from '../../cluster/index.ts';
import type { PodSetAnswer, WorkloadAnswer } from './placing.ts';

/** Machines told in one line before the rest is only counted. */
const MACHINES_TOLD = 12;

export function answerLines(cluster: Cluster, answers: readonly WorkloadAnswer[], language: Language): string[] {
  const wording = wordingOf(cluster, language);
  const policy = cluster.placer.policy.name;
  return [
    ...answers.flatMap((answer) => [...workloadLines(cluster, wording, answer), '']),
    message(language, 'place.unchanged', { policy }),
  ];
}

function workloadLines(cluster: Cluster, wording: Wording, answer: WorkloadAnswer): string[] {
  const { language } = wording;
  const details = answer.podSets.flatMap((set) => podSetLines(cluster, wording, set, answer));
  return [
    headline(cluster, language, answer),
    ...indented([...details, ...whereLines(cluster, wording, answer), ...whyLines(cluster, wording, answer)]),
  ];
}

function nameOf({ book }: Cluster, machine: number): string {
  return (book.machines[machine] as Machine).id;
}

function headline(cluster: Cluster, language: Language, answer: WorkloadAnswer): string {
  const { workload: asked, fits, placed, holdings } = answer;
  const { id: workload, kind, replicas: count } = asked;
  if (count === 0) return message(language, 'place.empty', { workload, kind });
  const [only] = holdings;
  if (fits && count === 1 && only !== undefined) return oneLine(cluster, language, { workload, kind, only });
  if (fits && asked.gang)
    return message(language, 'place.wouldGang', { workload, kind, count, where: whereText(language, answer) });
  if (fits) return message(language, 'place.wouldAll', { workload, kind, count });
  if (asked.gang) return message(language, 'place.noGang', { workload, kind, count, placed });
  if (placed === 0) return message(language, 'place.none', { workload, kind });
  return message(language, 'place.some', { workload, kind, count, placed });
}

interface Single {
  readonly workload: string;
  readonly kind: string;
  readonly only: Holding;
}

function oneLine(cluster: Cluster, language: Language, { workload, kind, only }: Single): string {
  const machine = nameOf(cluster, only.machine);
  if (only.cards.length === 0) return message(language, 'place.would', { workload, kind, machine });
  const cards = cardsText(cluster, only.cards);
  return message(language, 'place.wouldCards', { workload, kind, machine, count: only.cards.length, cards });
}

function cardsText({ book }: Cluster, cards: readonly number[]): string {
  return cards.map((card) => book.cardIds[card]).join(', ');
}

function whereText(language: Language, { domain }: WorkloadAnswer): string {
  if (domain === null || domain.level === 'fleet') return '';
  return message(language, `place.within.${domain.level}`, { name: domain.name });
}

function podSetLines(cluster: Cluster, wording: Wording, set: PodSetAnswer, answer: WorkloadAnswer): string[] {
  const { language } = wording;
  const { pod, name: part, hasClaims } = set.asked;
  const request = requestText(wording, pod.request);
  const labels = selectorTexts(pod.request);
  const lines = [
    part === '' ? message(language, 'place.asks', { request }) : message(language, 'place.partAsks', { part, request }),
  ];
  if (labels.length > 0) lines.push(message(language, 'explain.selectors', { labels: labels.join(comma(language)) }));
  if (hasClaims) lines.push(message(language, 'explain.claims'));
  lines.push(copiesLine(cluster, wording, set));
  const isWhyTold = answer.missing !== null && set.feasible.length === 0;
  if (!isWhyTold) lines.push(...reasonLines(cluster, wording, set.explanation));
  if (answer.workload.podSets.length === 1) lines.push(...bestLines(wording, set.explanation.best));
  return lines;
}

function copiesLine(cluster: Cluster, { language }: Wording, { copies }: PodSetAnswer): string {
  const { total, byMachine, isCut } = copies;
  if (total === 0) return message(language, 'place.noCopies');
  if (isCut) return message(language, 'place.copiesCut', { count: grouped(total) });
  const machines = [...byMachine].map(([machine, count]) =>
    message(language, 'place.copiesOn', { machine: nameOf(cluster, machine), count: grouped(count) }),
  );
  return message(language, 'place.copies', { count: grouped(total), machines: shortened(machines, language) });
}

function shortened(texts: readonly string[], language: Language): string {
  const more = texts.length - MACHINES_TOLD;
  if (more <= 0) return texts.join(comma(language));
  const rest = message(language, 'place.moreMachines', { count: grouped(more) });
  return [...texts.slice(0, MACHINES_TOLD), rest].join(comma(language));
}

/** Machine by machine, where there is more than one pod. */
function whereLines(cluster: Cluster, { language }: Wording, { holdings }: WorkloadAnswer): string[] {
  if (holdings.length < 2) return [];
  const byMachine = Map.groupBy(holdings, ({ machine }) => machine);
  const lines = [...byMachine].map(([rank, members]) => {
    const cards = members.flatMap((holding) => holding.cards);
    const values = { machine: nameOf(cluster, rank), pods: members.length };
    if (cards.length === 0) return message(language, 'place.goes', values);
    return message(language, 'place.goesCards', { ...values, count: cards.length, cards: cardsText(cluster, cards) });
  });
  return [message(language, 'place.whereGo'), ...indented(lines)];
}

/** The pod that stops a workload, and why. */
function whyLines(cluster: Cluster, wording: Wording, { workload, missing, gangRefusal }: WorkloadAnswer): string[] {
  const { language } = wording;
  if (missing !== null) {
    const reasons = reasonLines(cluster, wording, missing);
    return workload.replicas === 1 ? reasons : [message(language, 'place.next'), ...indented(reasons)];
  }
  if (gangRefusal === null) return [];
  const { nearest: name, refusals } = gangRefusal;
  const near = name === '' ? [] : [message(language, 'place.nearest', { name })];
  return [...near, message(language, 'place.next'), ...indented(refusals.map((count) => refusalText(wording, count)))];
}
