import type { LargestGang } from '@springtide/core/defrag';
import { message, type Language } from '@springtide/wire/messages';
import { bytesText, coresText, grouped, requestText, selectorTexts } from '@springtide/wire/reasons';
import { comma, wordingOf } from '../../cluster/index.ts';
import type { Inspection } from './inspection.ts';
import { familyName } from './rows.ts';
import { numberColumn, section, textColumn, type Section, type Telling } from './section.ts';
import { toldMachines } from './told.ts';
import { helpText, whyText } from './waiting-text.ts';
import type { WaitingGroup } from './waiting.ts';

/** The largest gangs of whole cards, by model. */
export function gangSection({ found, language }: Telling): Section | null {
  if (found.gangs.size === 0) return null;
  const sizes = gangSizes(found);
  const [cards, pods] = [message(language, 'inspect.unit.cards'), message(language, 'inspect.unit.pods')];
  const columns = [
    textColumn(message(language, 'inspect.gangs.model')),
    numberColumn(message(language, 'inspect.gangs.oneMachine'), cards),
    ...sizes.map((count) => numberColumn(message(language, 'inspect.gangs.podsOf', { count }), pods)),
    textColumn(message(language, 'inspect.gangs.diet')),
  ];
  const rows = [...found.gangs].map(([key, gang]) => gangCells(familyName(found, key), gang, sizes, language));
  return section('gangs', message(language, 'inspect.gangs.heading'), {
    table: { columns, rows, hasTotal: false },
    note: message(language, 'inspect.gangs.note'),
  });
}

/** Sizes of pods that some model is wide enough for. */
function gangSizes({ gangs }: Inspection): number[] {
  const sizes = [...gangs.values()].flatMap(({ inCluster }) => inCluster.map(({ cardsPerPod }) => cardsPerPod));
  return [...new Set(sizes)].toSorted((left, right) => left - right);
}

function gangCells(name: string, gang: LargestGang, sizes: readonly number[], language: Language): string[] {
  const none = message(language, 'inspect.gangs.none');
  const pods = sizes.map((size) => {
    const fit = gang.inCluster.find(({ cardsPerPod }) => cardsPerPod === size);
    return fit === undefined ? none : grouped(fit.pods);
  });
  return [name, grouped(gang.onOneMachine.cards), ...pods, dietText(gang, language)];
}

/** CPU in tenths of a core, rounded up. */
function dietText({ diet: { cpuMilli, memoryBytes } }: LargestGang, language: Language): string {
  if (cpuMilli === 0 && memoryBytes === 0) return message(language, 'inspect.gangs.none');
  const cores = coresText(Math.ceil(cpuMilli / 100) * 100);
  return message(language, 'inspect.gangs.dietText', { cores, memory: bytesText(memoryBytes) });
}

export function emptiableSection({ found, language, limits }: Telling): Section {
  const { alone, together, moves } = found.emptiable;
  const heading = message(language, 'inspect.emptiable.heading');
  if (alone.length === 0)
    return section('emptiable', heading, { lines: [message(language, 'inspect.emptiable.none')] });
  const names = (ranks: readonly number[]): string => {
    const ids = ranks.map((rank) => found.cluster.book.machines[rank]?.id ?? '');
    return toldMachines(language, ids, limits.machines).join(comma(language));
  };
  const inOneGo = { count: grouped(together.length), moves: grouped(moves), machines: names(together) };
  const lines = [
    message(language, 'inspect.emptiable.together', inOneGo),
    message(language, 'inspect.emptiable.alone', { count: grouped(alone.length), machines: names(alone) }),
  ];
  return section('emptiable', heading, { lines, note: message(language, 'inspect.emptiable.note') });
}

export function waitingSection(telling: Telling): Section {
  const { found, language, limits } = telling;
  const { waiting } = found;
  const heading = message(language, 'inspect.waiting.heading');
  if (waiting.pods === 0) return section('waiting', heading, { lines: [message(language, 'inspect.waiting.none')] });
  const groups = waiting.groups.slice(0, limits.rows);
  const columns = [
    textColumn(message(language, 'inspect.waiting.workload')),
    numberColumn(message(language, 'inspect.waiting.pods'), message(language, 'inspect.unit.pods')),
    textColumn(message(language, 'inspect.waiting.each')),
    textColumn(message(language, 'inspect.waiting.why')),
    textColumn(message(language, 'inspect.waiting.help')),
  ];
  const rows = groups.map((group) => waitingCells(telling, group));
  const rest = waiting.pods - groups.reduce((sum, { pods }) => sum + pods.length, 0);
  return section('waiting', `${heading} (${grouped(waiting.pods)})`, {
    lines: rest > 0 ? [message(language, 'inspect.waiting.rest', { count: grouped(rest) })] : [],
    table: { columns, rows, hasTotal: false },
  });
}

function waitingCells({ found, language }: Telling, group: WaitingGroup): string[] {
  const wording = wordingOf(found.cluster, language);
  const request = [requestText(wording, group.request), ...selectorTexts(group.request)].join(comma(language));
  return [group.workload, grouped(group.pods.length), request, whyText(wording, group), helpText(wording, group)];
}
