/**
 * What HAMi's device plug-ins read of a pod and write back: `uuid,type,MiB,cores:` for each card, `;` behind each
 * container. Written from the recorded behaviour of those plug-ins (`../shared/cases/hami`), and on its own: it shares
 * no code with what writes these values, so that it can find it wrong.
 */

export interface GivenCard {
  readonly uuid: string;
  readonly type: string;
  readonly mem: number;
  readonly cores: number;
}

export type Popped =
  | {
      readonly ok: true;
      readonly cards: readonly GivenCard[];
      /** Position of the entry, and so of the container, init containers first. */
      readonly container: number;
      /** What is left to give. */
      readonly rest: string;
      /** No card of this kind is left. */
      readonly isLast: boolean;
    }
  | { readonly ok: false; readonly error: string };

/** Takes the first container's cards that have not been given yet. `word` is HAMi's word for the kind, as `NVIDIA`. */
export function popContainer(text: string, word: string, containers: { init: number; app: number }): Popped {
  const entries = text.split(';').map(cardsOf);
  const container = entries.findIndex((cards) => cards.length > 0);
  if (container === -1) return { ok: false, error: 'no pending device allocation found' };
  const { init, app } = containers;
  if (container >= init + app) {
    return { ok: false, error: `container index ${container} out of range (init=${init}, regular=${app})` };
  }
  const rest = entries.map((cards, index) => (index === container ? ';' : `${cards.map(textOf).join('')};`)).join('');
  return { ok: true, cards: entries[container] ?? [], container, rest, isLast: !rest.includes(word) };
}

/** Containers whose cards have not been given yet. */
export function pendingContainers(text: string): number {
  return text.split(';').filter((entry) => cardsOf(entry).length > 0).length;
}

function cardsOf(entry: string): GivenCard[] {
  return entry
    .split(':')
    .filter((segment) => segment.includes(','))
    .map((segment) => {
      const [uuid = '', type = '', mem, cores] = segment.split(',');
      return { uuid, type, mem: Number(mem), cores: Number(cores) };
    });
}

function textOf({ uuid, type, mem, cores }: GivenCard): string {
  return `${uuid},${type},${mem},${cores}:`;
}
