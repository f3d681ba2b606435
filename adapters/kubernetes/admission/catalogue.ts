import type { Random } from '@springtide/core/base';
import type { CardTemplate } from '@springtide/core/model';
import type { CardCatalogue, OfferedCards } from '@springtide/ports/admission';
import type { Clock } from '@springtide/ports/clock';
import type { ApiClient } from '../client/api-client.ts';
import { readAnswer } from '../client/read-answer.ts';
import { readOr } from '../fault.ts';
import { type Fields, fieldsAt, textAt } from '../fields.ts';
import { makeMachine } from '../make-machine.ts';
import { RACK_LABELS, readNode } from '../node.ts';
import { Reflector } from '../watch/reflector.ts';
import { cardTemplateOf, TEMPLATES_VERSION } from './card-template.ts';

export interface CatalogueOptions {
  readonly client: Pick<ApiClient, 'request' | 'stream'>;
  readonly clock: Clock;
  readonly random: Random;
}

const TEMPLATES = `/apis/${TEMPLATES_VERSION}/cardtemplates`;
const LOOK_UP_MS = 2000;

type Offered = ReadonlyMap<string, OfferedCards>;

/** Follows card templates and the cards of nodes. */
export class WatchedCatalogue implements CardCatalogue {
  readonly #options: CatalogueOptions;
  /** Null: one that cannot be read. */
  readonly #templates = new Map<string, CardTemplate | null>();
  readonly #byNode = new Map<string, Offered>();
  readonly #watches: readonly { readonly what: string; readonly reflector: Reflector }[];
  /** Of all nodes; null: something changed since it was made up. */
  #cards: Offered | null = null;

  constructor(options: CatalogueOptions) {
    this.#options = options;
    this.#watches = [
      this.#watch('cardtemplates', TEMPLATES, {
        seen: (object) =>
          this.#templates.set(
            nameOf(object),
            readOr(null, () => cardTemplateOf(object)),
          ),
        gone: (name) => this.#templates.delete(name),
      }),
      this.#watch('nodes', '/api/v1/nodes', {
        seen: (object) =>
          this.#seeNode(
            nameOf(object),
            readOr<Offered>(new Map(), () => offeredBy(object)),
          ),
        gone: (name) => this.#seeNode(name, new Map()),
      }),
    ];
  }

  start(): void {
    for (const { reflector } of this.#watches) reflector.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#watches.map(({ reflector }) => reflector.stop()));
  }

  /** What has not been listed yet, and why. */
  missing(): string[] {
    return this.#watches
      .filter(({ reflector }) => !reflector.state.isListed)
      .map(({ what, reflector }) => `${what}: not listed yet${textOfFailure(reflector.state.failure)}`);
  }

  readonly templateNames = (): string[] => [...this.#templates.keys()].toSorted();

  /** One that has just been made may not have been seen yet: what is missing is asked for. */
  readonly template = async (name: string): Promise<CardTemplate | null> => {
    const seen = this.#templates.get(name);
    if (seen !== undefined && seen !== null) return seen;
    const request = { method: 'GET', path: `${TEMPLATES}/${encodeURIComponent(name)}`, timeoutMs: LOOK_UP_MS } as const;
    const read = await readAnswer(this.#options.client, request, cardTemplateOf);
    if (read.ok) return read.value;
    if (read.error.code === 'not-found' || read.error.code === 'unsupported') return null;
    throw new Error(`card template ${name}: ${read.error.message}`);
  };

  readonly cards = (): Offered => {
    this.#cards ??= together(this.#byNode.values());
    return this.#cards;
  };

  #seeNode(name: string, offered: Offered): void {
    if (offered.size === 0) this.#byNode.delete(name);
    else this.#byNode.set(name, offered);
    this.#cards = null;
  }

  #watch(
    what: string,
    path: string,
    handlers: { readonly seen: (object: Fields) => void; readonly gone: (name: string) => void },
  ): { what: string; reflector: Reflector } {
    const { client, clock, random } = this.#options;
    const sink = {
      seen: handlers.seen,
      gone: ({ id }: { readonly id: string }) => handlers.gone(id),
      room: () => null,
      changed: () => {},
    };
    const resource = { path, query: {}, isOptional: false };
    return { what, reflector: new Reflector({ client, clock, random, resource, sink }) };
  }
}

function nameOf(object: Fields): string {
  return textAt(fieldsAt(object, 'metadata'), 'name');
}

function textOfFailure(failure: { readonly message: string } | null): string {
  return failure === null ? '' : ` (${failure.message})`;
}

function offeredBy(object: Fields): Offered {
  const { machine } = makeMachine(readNode(object, { rackLabels: RACK_LABELS, cluster: '' }), false, (id) => id);
  const offered = new Map<string, OfferedCards>();
  for (const { resource, memoryMiB, slicing } of machine.cards) {
    add(offered, resource, { memoryMiBMax: memoryMiB, isCut: slicing === 'memory' || slicing === 'template' });
  }
  return offered;
}

function together(nodes: Iterable<Offered>): Offered {
  const all = new Map<string, OfferedCards>();
  for (const offered of nodes) for (const [resource, cards] of offered) add(all, resource, cards);
  return all;
}

function add(to: Map<string, OfferedCards>, resource: string, { memoryMiBMax, isCut }: OfferedCards): void {
  const before = to.get(resource);
  const most = Math.max(memoryMiBMax, before?.memoryMiBMax ?? 0);
  to.set(resource, { memoryMiBMax: most, isCut: isCut || before?.isCut === true });
}
