import { LOSS_REASONS, lossBy, type LossReason, type RequestLoss } from '@springtide/core/defrag';
import { message } from '@springtide/wire/messages';
import { grouped, mibText, percentText, requestText, selectorTexts } from '@springtide/wire/reasons';
import { comma, wordingOf } from '../../cluster/index.ts';
import { fixed } from '../../report/index.ts';
import { familyName, percentOf, reasonRows, type ReasonRow } from './rows.ts';
import { numberColumn, section, textColumn, type Section, type Telling } from './section.ts';
import { toldMachines } from './told.ts';

/** Idle cards that no common request can use, by reason. */
export function lossSection(telling: Telling): Section {
  const { found, language } = telling;
  const { idle, unusable, expectedLost } = found.fragmentation;
  const heading = message(language, 'inspect.loss.heading');
  if (idle === 0) return section('loss', heading, { lines: [message(language, 'inspect.loss.noneIdle')] });
  const percent = fixed(percentOf(unusable, idle), 1);
  const line =
    unusable === 0
      ? message(language, 'inspect.loss.none')
      : message(language, 'inspect.loss.line', { idle: grouped(idle), unusable: grouped(unusable), percent });
  const expected = { cards: fixed(expectedLost, 1), percent: fixed(percentOf(expectedLost, idle), 1) };
  const rows = reasonRows(found).map((row) => reasonCells(telling, row));
  const columns = [
    textColumn(message(language, 'inspect.loss.reason')),
    numberColumn(message(language, 'inspect.loss.cards'), message(language, 'inspect.unit.cards')),
    textColumn(message(language, 'inspect.loss.where')),
  ];
  return section('loss', heading, {
    lines: [line, message(language, 'inspect.loss.expected', expected)],
    table: rows.length === 0 ? null : { columns, rows, hasTotal: false },
    note: message(language, 'inspect.loss.note'),
  });
}

function reasonCells({ language, limits }: Telling, { reason, cards, where }: ReasonRow): string[] {
  const machines = where.map(({ machine, cards: held }) =>
    message(language, 'inspect.loss.onMachine', { machine, count: grouped(held) }),
  );
  const names = toldMachines(language, machines, limits.machines).join(comma(language));
  return [message(language, `inspect.reason.${reason}`), grouped(cards), names];
}

/** The same by rack, where the cluster tells racks. */
export function rackSection({ found, language, limits }: Telling): Section | null {
  const { book } = found.cluster;
  const byRack = lossBy(found.fragmentation.machines, (machine) => book.machines[machine]?.location.rack ?? '');
  if (byRack.size < 2) return null;
  const cards = message(language, 'inspect.unit.cards');
  const rows = [...byRack]
    .toSorted(([, left], [, right]) => right.unusable - left.unusable || right.idle - left.idle)
    .slice(0, limits.rows)
    .map(([rack, { idle, unusable }]) => [
      rack === '' ? message(language, 'inspect.loss.noRack') : rack,
      grouped(idle),
      grouped(unusable),
    ]);
  const columns = [
    textColumn(message(language, 'inspect.loss.rack')),
    numberColumn(message(language, 'inspect.cards.idle'), cards),
    numberColumn(message(language, 'inspect.cards.unusable'), cards),
  ];
  return section('racks', message(language, 'inspect.loss.byRack'), { table: { columns, rows, hasTotal: false } });
}

/** Per common request: how many idle cards it would take, and why not the others. */
export function requestSection(telling: Telling): Section | null {
  const { found, language, limits } = telling;
  const { requests, idle } = found.fragmentation;
  if (requests.length === 0 || idle === 0) return null;
  const reasons = LOSS_REASONS.filter((reason) => requests.some(({ lost }) => lost.has(reason)));
  const cards = message(language, 'inspect.unit.cards');
  const columns = [
    textColumn(message(language, 'inspect.requests.request')),
    numberColumn(message(language, 'inspect.requests.pods'), message(language, 'inspect.unit.pods')),
    numberColumn(message(language, 'inspect.requests.usable'), cards),
    ...reasons.map((reason) => numberColumn(message(language, `inspect.reason.${reason}`), cards)),
  ];
  const rows = requests.slice(0, limits.rows).map((loss) => requestCells(telling, reasons, loss));
  const more = requests.length - limits.rows;
  return section('requests', message(language, 'inspect.requests.heading'), {
    lines: more > 0 ? [message(language, 'inspect.requests.more', { count: grouped(more) })] : [],
    table: { columns, rows, hasTotal: false },
    note: message(language, 'inspect.requests.note'),
  });
}

function requestCells({ found, language }: Telling, reasons: readonly LossReason[], loss: RequestLoss): string[] {
  const { request } = loss.common.requestClass;
  const wording = wordingOf(found.cluster, language);
  const asked = [requestText(wording, request), ...selectorTexts(request)].join(comma(language));
  const lost = reasons.map((reason) => grouped(loss.lost.get(reason) ?? 0));
  return [asked, grouped(loss.common.pods), grouped(loss.usable), ...lost];
}

/** What is left of cards held in parts. */
export function leftoverSection({ found, language }: Telling): Section | null {
  if (found.leftovers.size === 0) return null;
  const cards = message(language, 'inspect.unit.cards');
  const columns = [
    textColumn(message(language, 'inspect.cards.model')),
    numberColumn(message(language, 'inspect.leftovers.cards'), cards),
    numberColumn(message(language, 'inspect.leftovers.free')),
    numberColumn(message(language, 'inspect.leftovers.unusable')),
    numberColumn(message(language, 'inspect.leftovers.freeCompute'), message(language, 'inspect.leftovers.ofCards')),
    numberColumn(
      message(language, 'inspect.leftovers.unusableCompute'),
      message(language, 'inspect.leftovers.ofCards'),
    ),
    numberColumn(message(language, 'inspect.leftovers.unusableCards'), cards),
  ];
  const rows = [...found.leftovers].map(([key, left]) => [
    familyName(found, key),
    grouped(left.cards),
    mibText(left.freeMiB),
    mibText(left.unusableMiB),
    percentText(left.freeComputeMilli),
    percentText(left.unusableComputeMilli),
    grouped(left.unusableCards),
  ]);
  return section('leftovers', message(language, 'inspect.leftovers.heading'), {
    table: { columns, rows, hasTotal: false },
    note: message(language, 'inspect.leftovers.note'),
  });
}
