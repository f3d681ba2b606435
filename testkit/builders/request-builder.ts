import {
  type CardChoice,
  type CardRequest,
  type Constraints,
  EMPTY_REQUEST,
  type HostPort,
  type Isolation,
  type PodAffinityTerm,
  type Request,
  type SelectorExpression,
  type SliceMemory,
  type Toleration,
  type TopologySpread,
  type VolumeNeed,
} from '@springtide/core/model';
import { NVIDIA } from './products.ts';

type OfCards = Exclude<CardRequest, { readonly kind: 'none' }>;

/** A request in the making: methods that ask for cards replace the cards asked for before. */
export class RequestBuilder {
  readonly #request: Request;

  constructor(request: Request) {
    this.#request = request;
  }

  #with(part: Partial<Request>): RequestBuilder {
    return new RequestBuilder({ ...this.#request, ...part });
  }

  #under(part: Partial<Constraints>): RequestBuilder {
    return this.#with({ constraints: { ...this.#request.constraints, ...part } });
  }

  #ofCards(part: Partial<OfCards>): RequestBuilder {
    return this.#with({ cards: { ...this.#request.cards, ...part } as CardRequest });
  }

  whole(count: number): RequestBuilder {
    return this.#with({ cards: { kind: 'whole', resource: NVIDIA, count, models: null } });
  }

  slice(memory: SliceMemory, computeMilli = 0): RequestBuilder {
    return this.#with({ cards: { kind: 'slice', resource: NVIDIA, count: 1, models: null, memory, computeMilli } });
  }

  sliceMiB(amount: number, computeMilli = 0): RequestBuilder {
    return this.slice({ unit: 'mib', amount }, computeMilli);
  }

  /** The same, oversubscribed where the card may be. */
  sharedMiB(amount: number, computeMilli = 0): RequestBuilder {
    return this.sliceMiB(amount, computeMilli).#ofCards({ kind: 'shared', priority: 1 });
  }

  mig(profile: string): RequestBuilder {
    return this.#with({ cards: { kind: 'mig', resource: NVIDIA, count: 1, models: null, profile } });
  }

  template(template: string, resource: string): RequestBuilder {
    return this.#with({ cards: { kind: 'template', resource, count: 1, models: null, template } });
  }

  count(count: number): RequestBuilder {
    return this.#ofCards({ count });
  }

  choosing(choice: CardChoice): RequestBuilder {
    return this.#ofCards({ choice });
  }

  resource(resource: string): RequestBuilder {
    return this.#ofCards({ resource });
  }

  models(...models: readonly string[]): RequestBuilder {
    return this.#ofCards({ models });
  }

  preferring(...preferredModels: readonly string[]): RequestBuilder {
    return this.#ofCards({ preferredModels });
  }

  cpuMilli(cpuMilli: number): RequestBuilder {
    return this.#with({ cpuMilli });
  }

  memoryBytes(memoryBytes: number): RequestBuilder {
    return this.#with({ memoryBytes });
  }

  other(resource: string, amount: number): RequestBuilder {
    return this.#with({ resources: new Map([...this.#request.resources, [resource, amount]]) });
  }

  isolated(isolation: Isolation): RequestBuilder {
    return this.#with({ isolation });
  }

  /** It may use these isolated pools. */
  admittedTo(...pools: string[]): RequestBuilder {
    return this.#under({ pools });
  }

  /** It goes nowhere but to this pool. */
  onlyIn(pool: string): RequestBuilder {
    return this.#under({ pool });
  }

  onMachine(machine: string): RequestBuilder {
    return this.#under({ machine });
  }

  nodeSelector(key: string, value: string): RequestBuilder {
    return this.#under({ nodeSelector: new Map([...this.#request.constraints.nodeSelector, [key, value]]) });
  }

  /** Adds a node affinity term: any one term has to hold, and all expressions of it. */
  nodeTerm(expressions: readonly SelectorExpression[], fields: readonly SelectorExpression[] = []): RequestBuilder {
    return this.#under({ nodeTerms: [...(this.#request.constraints.nodeTerms ?? []), { expressions, fields }] });
  }

  tolerating(toleration: Partial<Toleration>): RequestBuilder {
    const whole: Toleration = { key: '', operator: 'Equal', value: '', effect: '', ...toleration };
    return this.#under({ tolerations: [...this.#request.constraints.tolerations, whole] });
  }

  beside(term: PodAffinityTerm): RequestBuilder {
    return this.#under({ podAffinity: [...this.#request.constraints.podAffinity, term] });
  }

  awayFrom(term: PodAffinityTerm): RequestBuilder {
    return this.#under({ podAntiAffinity: [...this.#request.constraints.podAntiAffinity, term] });
  }

  spread(spread: TopologySpread): RequestBuilder {
    return this.#under({ topologySpread: [...this.#request.constraints.topologySpread, spread] });
  }

  hostPort(port: number, more: Partial<HostPort> = {}): RequestBuilder {
    const whole: HostPort = { ip: '0.0.0.0', protocol: 'TCP', port, ...more };
    return this.#under({ hostPorts: [...this.#request.constraints.hostPorts, whole] });
  }

  /** A claim: served by one of the volumes, or on one of the machines. */
  volume(need: Partial<VolumeNeed>): RequestBuilder {
    const whole: VolumeNeed = { volumes: [], machines: [], trouble: null, ...need };
    return this.#under({ volumes: [...this.#request.constraints.volumes, whole] });
  }

  alone(...exclusiveClaims: readonly string[]): RequestBuilder {
    return this.#under({ exclusiveClaims });
  }

  build(): Request {
    return this.#request;
  }
}

/** Asks for nothing yet. */
export function aRequest(): RequestBuilder {
  return new RequestBuilder(EMPTY_REQUEST);
}
