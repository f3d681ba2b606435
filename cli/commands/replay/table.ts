import { message, type Language } from '@springtide/wire/messages';
import { fixed } from '../../report/index.ts';
import { textTable, type TextColumn } from '../../terminal/index.ts';
import { LOADS } from './json.ts';
import { seedsText } from './seeds.ts';
import type { PolicySummary, Spread, TraceSummary } from './summary.ts';

const FRAGMENTATION_LOAD = 90;

/** The result of replays for a terminal: a table for each trace, a line for each policy. */
export function replayTable(summaries: readonly TraceSummary[], language: Language): string {
  const tables = summaries.map((summary) => `${titleOf(summary, language)}\n\n${tableOf(summary, language)}\n`);
  return `${tables.join('\n')}\n${message(language, 'replay.table.note')}\n`;
}

export function orderText({ order }: TraceSummary, language: Language): string {
  return message(language, `replay.order.${order}`);
}

export function tiesText({ ties }: TraceSummary, language: Language): string {
  return message(language, `replay.ties.${ties}`);
}

function titleOf(summary: TraceSummary, language: Language): string {
  return message(language, 'replay.table.title', {
    trace: summary.trace,
    machines: fixed(summary.machines),
    cards: fixed(summary.cards),
    count: summary.seeds.length,
    seeds: seedsText(summary.seeds),
    order: orderText(summary, language),
    ties: tiesText(summary, language),
  });
}

function tableOf({ policies }: TraceSummary, language: Language): string {
  const number = (head: string, unit: string): TextColumn => ({ head: `${head}\n${unit}`, align: 'number' });
  const columns: TextColumn[] = [
    { head: message(language, 'replay.table.policy'), align: 'text' },
    ...LOADS.map((load) =>
      number(message(language, 'replay.table.allocated'), message(language, 'replay.table.at', { load })),
    ),
    number(
      message(language, 'replay.table.fragmented'),
      message(language, 'replay.table.ofIdleAt', { load: FRAGMENTATION_LOAD }),
    ),
    number(message(language, 'replay.table.refused'), message(language, 'replay.table.ofPods')),
    number(message(language, 'replay.table.cpu'), message(language, 'replay.table.microseconds')),
    number(message(language, 'replay.table.scored'), message(language, 'replay.table.machinesPerDecision')),
  ];
  return textTable(columns, policies.map(rowOf));
}

function rowOf(policy: PolicySummary): string[] {
  return [
    policy.placement,
    ...LOADS.map((load) => withDeviation(policy.allocatedAt(load), 2)),
    withDeviation(policy.fragmentationAt(FRAGMENTATION_LOAD), 1),
    fixed(policy.refusedPercent.mean, 1),
    fixed(policy.microsecondsPerDecision.mean, 1),
    fixed(policy.machinesScoredPerDecision.mean, 1),
  ];
}

export function withDeviation(spread: Spread | null, decimals: number): string {
  if (spread === null) return '-';
  const middle = fixed(spread.mean, decimals);
  return spread.deviation === null ? middle : `${middle} ±${fixed(spread.deviation, decimals)}`;
}
