import type { Candidate, Explanation, Obstacle, Request, ScoreTerm } from '@springtide/core/model';
import { message, type Language } from '@springtide/wire/messages';
import {
  beyondText,
  grouped,
  machinesText,
  needText,
  refusalText,
  remedyText,
  requestText,
  selectorTexts,
  type Wording,
} from '@springtide/wire/reasons';
import type { Cluster } from './cluster.ts';

/** How a cluster is spoken of. */
export function wordingOf(cluster: Cluster, language: Language): Wording {
  return { language, modelName: cluster.modelName };
}

const INDENT = '  ';

export function indented(lines: readonly string[], depth = 1): string[] {
  return lines.map((line) => (line === '' ? '' : `${INDENT.repeat(depth)}${line}`));
}

/** What a pod asks for, and the labels it insists on. */
export function askLines(wording: Wording, request: Request): string[] {
  const { language } = wording;
  const labels = selectorTexts(request);
  const asks = message(language, 'explain.asks', { request: requestText(wording, request) });
  return labels.length === 0
    ? [asks]
    : [asks, message(language, 'explain.selectors', { labels: labels.join(comma(language)) })];
}

/** Which machines refuse, and, when all do, what would change that. */
export function reasonLines(cluster: Cluster, wording: Wording, explanation: Explanation): string[] {
  const { language } = wording;
  const machines = machinesText(wording, cluster.book.machines.length);
  const isNo = explanation.feasibleMachines === 0;
  const heading = isNo
    ? message(language, 'explain.refused')
    : message(language, 'explain.feasible', { count: grouped(explanation.feasibleMachines), machines });
  const refusals = explanation.refusals.map((count) => refusalText(wording, count));
  return [heading, ...indented(refusals), ...(isNo ? changeLines(wording, explanation) : [])];
}

function changeLines(wording: Wording, { remedies, nearMiss, beyond }: Explanation): string[] {
  const { language } = wording;
  const lines = beyond.map((each) => message(language, 'explain.beyond', { what: beyondText(wording, each) }));
  if (remedies.length > 0) {
    lines.push(message(language, 'explain.remedies'));
    lines.push(...indented(remedies.map((remedy) => `- ${remedyText(wording, remedy)}`)));
  }
  if (nearMiss !== null) {
    const { machine, obstacles } = nearMiss;
    lines.push(message(language, 'explain.nearMiss', { machine, needs: needsText(wording, obstacles) }));
  }
  return lines;
}

/** Obstacles of one machine as a list inside a sentence. */
export function needsText(wording: Wording, obstacles: readonly Obstacle[]): string {
  return obstacles.map((each) => needText(wording, each)).join(wording.language === 'zh' ? '；' : '; ');
}

/** Between the parts of a list inside a sentence. */
export function comma(language: Language): string {
  return language === 'zh' ? '，' : ', ';
}

/** The best few machines with their scores, greater is better. */
export function bestLines({ language }: Wording, best: readonly Candidate[]): string[] {
  if (best.length === 0) return [];
  const lines = best.map(({ machine, score, terms }) => {
    const parts = terms.map((term) => `${termName(language, term)} ${grouped(Math.round(term.value * 10) / 10)}`);
    return message(language, 'explain.candidate', {
      machine,
      score: grouped(score),
      terms: parts.join(comma(language)),
    });
  });
  return [message(language, 'explain.bestMachines'), ...indented(lines)];
}

function termName(language: Language, { name }: ScoreTerm): string {
  switch (name) {
    case 'waste':
      return message(language, 'explain.term.waste');
    case 'cpu-deficit':
      return message(language, 'explain.term.cpuDeficit');
    case 'scarcity':
      return message(language, 'explain.term.scarcity');
    default:
      return name;
  }
}
