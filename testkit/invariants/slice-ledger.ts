/** What there is of a card, or what pods hold of it. */
interface CardSize {
  mem: number;
  cores: number;
  slots: number;
}

type Use = ReadonlyMap<string, CardSize>;

const BROKEN_MAX = 20;
const NOTHING: Use = new Map();

/**
 * An outside reader of HAMi's annotations: which cards nodes have, and which parts of them pods hold. It has readers of
 * its own, so that it agrees with the scheduler only where the scheduler is right. Fed with every change of the pods in
 * order, it knows every state that ever was.
 */
export class SliceLedger {
  readonly #cards = new Map<string, CardSize>();
  readonly #held = new Map<string, CardSize>();
  /** By uid of the pod. */
  readonly #uses = new Map<string, Use>();
  /** Sentences about cards of which more was held than there is, at any moment; the first of them. */
  readonly broken: string[] = [];
  /** Changes of pods with cards that were read. */
  changes = 0;
  /** The most of any card's memory that was ever held, in percent. */
  memoryPercentMax = 0;

  constructor(nodes: readonly any[]) {
    for (const node of nodes) for (const [id, size] of cardsOf(node)) this.#cards.set(id, size);
  }

  /** Cards that some pod holds a part of now. */
  get cardsHeld(): number {
    return [...this.#held.values()].filter(({ slots }) => slots > 0).length;
  }

  see({ type, object: pod }: { readonly type: string; readonly object: any }): void {
    const { uid } = pod.metadata;
    const isOver = pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed';
    const holds = type !== 'DELETED' && !isOver && pod.spec.nodeName !== undefined;
    const before = this.#uses.get(uid) ?? NOTHING;
    const now = holds ? useOf(pod) : NOTHING;
    if (before.size === 0 && now.size === 0) return;
    this.changes += 1;
    for (const [id, size] of before) this.#add(id, size, -1);
    for (const [id, size] of now) this.#add(id, size, 1);
    if (now.size === 0) this.#uses.delete(uid);
    else this.#uses.set(uid, now);
    for (const id of now.keys()) this.#check(id, `${pod.metadata.namespace}/${pod.metadata.name}`);
  }

  #add(id: string, { mem, cores, slots }: CardSize, sign: 1 | -1): void {
    const held = this.#held.get(id) ?? { mem: 0, cores: 0, slots: 0 };
    this.#held.set(id, {
      mem: held.mem + sign * mem,
      cores: held.cores + sign * cores,
      slots: held.slots + sign * slots,
    });
  }

  #check(id: string, pod: string): void {
    const card = this.#cards.get(id);
    const held = this.#held.get(id);
    if (card === undefined || held === undefined) return this.#complain(`${pod} holds ${id}, which no node has`);
    this.memoryPercentMax = Math.max(this.memoryPercentMax, (100 * held.mem) / card.mem);
    for (const part of ['mem', 'cores', 'slots'] as const) {
      if (held[part] <= card[part]) continue;
      this.#complain(
        `with ${pod}, ${held[part]} ${part} of ${id} are held: it has ${card[part]} (${this.#holdersOf(id)})`,
      );
    }
  }

  #holdersOf(id: string): string {
    const holders = [...this.#uses].filter(([, use]) => use.has(id));
    return holders.map(([uid, use]) => `${uid}: ${use.get(id)?.mem}`).join(', ');
  }

  #complain(sentence: string): void {
    if (this.broken.length < BROKEN_MAX) this.broken.push(sentence);
  }
}

/** Which of a pod's annotations names what it was given: the kinds that matter here all end so. */
const ALLOCATED = /^hami\.io\/.+-devices-allocated$/;

/** What a pod holds by card. Its containers add up; init containers are none of this reader's. */
function useOf({ metadata }: any): Use {
  const use = new Map<string, CardSize>();
  for (const [key, value] of Object.entries<string>(metadata.annotations ?? {})) {
    if (!ALLOCATED.test(key)) continue;
    for (const segment of value.split(/[:;]/)) {
      const [id = '', , mem, cores] = segment.split(',');
      if (id === '') continue;
      const sum = use.get(id) ?? { mem: 0, cores: 0, slots: 0 };
      use.set(id, { mem: sum.mem + Number(mem), cores: sum.cores + Number(cores), slots: sum.slots + 1 });
    }
  }
  return use;
}

function cardsOf(node: any): [id: string, size: CardSize][] {
  const annotations: Readonly<Record<string, string>> = node.metadata.annotations ?? {};
  const registered = Object.entries(annotations).flatMap(([key, value]) => {
    if (!/^hami\.io\/node-.*register/.test(key)) return [];
    return value.startsWith('[') ? jsonCards(value) : csvCards(value);
  });
  return [...registered, ...countedCards(node)];
}

function jsonCards(text: string): [string, CardSize][] {
  const cards: readonly any[] = JSON.parse(text);
  return cards.map(({ id, count, devmem, devcore }) => [id, { mem: devmem, cores: devcore, slots: count }]);
}

function csvCards(text: string): [string, CardSize][] {
  const cards = text.split(':').filter((card) => card !== '');
  return cards.map((card) => {
    const [id = '', count, mem, cores] = card.split(',');
    return [id, { mem: Number(mem), cores: Number(cores), slots: Number(count) }];
  });
}

/** Cards that nobody registers: the node counts cores and memory of them all. */
const COUNTED = [
  {
    cores: 'cambricon.com/mlu.smlu.vcore',
    memory: 'cambricon.com/mlu.smlu.vmemory',
    each: 100,
    unit: 256,
    name: 'cambricon-mlu',
  },
  { cores: 'mthreads.com/sgpu-core', memory: 'mthreads.com/sgpu-memory', each: 16, unit: 512, name: 'mthreads' },
] as const;

function countedCards({ metadata, status }: any): [string, CardSize][] {
  return COUNTED.flatMap(({ cores, memory, each, unit, name }) => {
    const count = Number(status.capacity?.[cores] ?? 0) / each;
    const mem = (Number(status.capacity?.[memory] ?? 0) * unit) / count;
    return Array.from({ length: count }, (_, index): [string, CardSize] => {
      return [`${metadata.name}-${name}-${index}`, { mem, cores: each, slots: 100 }];
    });
  });
}
