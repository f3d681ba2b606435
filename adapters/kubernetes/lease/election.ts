import type { Random } from '@springtide/core/base';
import type { Cancel, Clock } from '@springtide/ports/clock';
import { type ClusterFailure, clusterFailure, type Lease, type LeaseState, type Term } from '@springtide/ports/cluster';
import type { ApiClient } from '../client/api-client.ts';
import { type LeaseObject, leaseOf, withTerms } from './lease-object.ts';
import { Office } from './office.ts';

export interface LeaseTimes {
  /** Others take over when they have seen no renewal for so long. */
  readonly durationMs: number;
  /** Without a renewal the holder stops this long after it began to ask for the last one: sooner than others take over. */
  readonly deadlineMs: number;
  readonly retryMs: number;
  readonly requestMs: number;
}

export const LEASE_TIMES: LeaseTimes = { durationMs: 10_000, deadlineMs: 7000, retryMs: 1500, requestMs: 2000 };

export interface ElectionOptions {
  readonly client: Pick<ApiClient, 'request'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespace: string;
  readonly name: string;
  /** Unlike every other, that of its own former life included. */
  readonly holder: string;
  readonly times?: LeaseTimes;
}

/**
 * Leader election by a Lease object, as Kubernetes' own parts do it:
 *
 *     following --free, given up, or not renewed for its duration--> leading
 *     leading --no renewal within the deadline, or another holder--> following
 *
 * Only durations by the monotone clock count: other machines' times are looked at for change, never compared.
 */
export class Election implements Lease {
  readonly #options: ElectionOptions;
  readonly #times: LeaseTimes;
  readonly #path: string;
  readonly #listeners = new Set<(state: LeaseState) => void>();
  #state: LeaseState = { state: 'following', holder: '' };
  #failure: ClusterFailure | null = null;
  #office: Office | null = null;
  /** The newest object known, null: it has to be read. */
  #known: LeaseObject | null = null;
  /** When the other holder last showed a sign of life. */
  #aliveAtMs = 0;
  #lastSign = '';
  /** One more than the number of the last term that was heard of. */
  #transitions = 0;
  #cancelTick: Cancel = () => {};
  #cancelExpiry: Cancel = () => {};
  #pending: Promise<void> = Promise.resolve();
  #isStanding = false;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#times = options.times ?? LEASE_TIMES;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(options.namespace)}/leases`;
  }

  readonly state = (): LeaseState => this.#state;

  readonly failure = (): ClusterFailure | null => this.#failure;

  readonly onChange = (listener: (state: LeaseState) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly start = (): void => {
    if (this.#isStanding) return;
    this.#isStanding = true;
    this.#tick();
  };

  readonly release = async (): Promise<void> => {
    this.#isStanding = false;
    this.#cancelTick();
    await this.#pending;
    const held = this.#known?.holder === this.#options.holder ? this.#known : null;
    this.#endOffice();
    this.#become({ state: 'stopped' });
    if (held !== null) await this.#put(held, '', held.transitions, null);
  };

  #tick(): void {
    this.#pending = this.#attempt().then(() => {
      if (!this.#isStanding) return;
      const waitMs = this.#times.retryMs * (0.8 + 0.2 * this.#options.random.unit());
      this.#cancelTick = this.#options.clock.after(waitMs, () => this.#tick());
    });
  }

  async #attempt(): Promise<void> {
    if (this.#office !== null && this.#known !== null) {
      const failure = await this.#renew(this.#office, this.#known);
      if (failure?.code !== 'conflict' && failure?.code !== 'not-found') return;
      this.#known = null;
    }
    await this.#look();
  }

  /** Null: done. */
  async #renew(office: Office, known: LeaseObject): Promise<ClusterFailure | null> {
    const askedAtMs = this.#options.clock.nowMs();
    const failure = await this.#put(known, this.#options.holder, known.transitions, null);
    if (failure === null) this.#prolong(office, askedAtMs);
    return failure;
  }

  /** Reads the lease, and takes it if it may be had. */
  async #look(): Promise<void> {
    const { client, holder, name, clock } = this.#options;
    const limits = { timeoutMs: this.#times.requestMs };
    const answer = await client.request({
      method: 'GET',
      path: `${this.#path}/${encodeURIComponent(name)}`,
      ...limits,
    });
    if (!answer.ok && answer.error.code === 'not-found') return this.#lookAtNothing();
    const lease = answer.ok ? leaseOf(answer.value) : null;
    if (lease === null) return this.#fail(answer.ok ? clusterFailure('malformed', 'that is no Lease') : answer.error);
    this.#failure = null;
    this.#known = lease;
    this.#transitions = Math.max(this.#transitions, lease.transitions + 1);
    if (lease.holder === holder && this.#office?.term.isValid() === true) {
      // A renewal of ours whose answer was lost.
      await this.#renew(this.#office, lease);
      return;
    }
    this.#endOffice();
    if (lease.holder === holder) return this.#take(lease, 'own');
    if (lease.holder === '') return this.#take(lease, 'released');
    this.#watchHolder(lease);
    if (clock.nowMs() - this.#aliveAtMs > lease.durationMs) return this.#take(lease, 'expired');
    this.#become({ state: 'following', holder: lease.holder });
  }

  /** Somebody has deleted the lease: whoever held it may still be in office, and has to be waited for. */
  async #lookAtNothing(): Promise<void> {
    this.#known = null;
    const { clock } = this.#options;
    const isHeld = this.#lastSign !== '' && clock.nowMs() - this.#aliveAtMs <= this.#times.durationMs;
    if (isHeld && this.#office === null) return this.#become({ state: 'following', holder: '' });
    await this.#create();
  }

  #watchHolder({ holder, renewTime, transitions }: LeaseObject): void {
    const sign = `${holder} ${transitions} ${renewTime}`;
    if (sign === this.#lastSign) return;
    this.#lastSign = sign;
    this.#aliveAtMs = this.#options.clock.nowMs();
  }

  async #create(): Promise<void> {
    const { client, clock, holder, namespace, name } = this.#options;
    const cameBy = this.#office === null ? 'free' : 'own';
    this.#endOffice();
    const askedAtMs = clock.nowMs();
    // The number of a term grows even over a lease that was deleted, as far as anybody here remembers.
    const transitions = this.#transitions;
    const body = withTerms({ metadata: { namespace, name } }, this.#terms(holder, transitions, clock.wallMs()));
    const answer = await client.request({ method: 'POST', path: this.#path, body, timeoutMs: this.#times.requestMs });
    if (!answer.ok) return this.#fail(answer.error);
    this.#known = leaseOf(answer.value);
    this.#lead(askedAtMs, transitions, cameBy);
  }

  async #take(lease: LeaseObject, cameBy: Term['cameBy']): Promise<void> {
    const { clock, holder } = this.#options;
    const askedAtMs = clock.nowMs();
    const transitions = lease.transitions + 1;
    const failure = await this.#put(lease, holder, transitions, clock.wallMs());
    if (failure === null) this.#lead(askedAtMs, transitions, cameBy);
  }

  /** Null: written. */
  async #put(
    lease: LeaseObject,
    holder: string,
    transitions: number,
    acquiredWallMs: number | null,
  ): Promise<ClusterFailure | null> {
    const { client, name } = this.#options;
    const body = withTerms(lease.values, this.#terms(holder, transitions, acquiredWallMs));
    const path = `${this.#path}/${encodeURIComponent(name)}`;
    const answer = await client.request({ method: 'PUT', path, body, timeoutMs: this.#times.requestMs });
    if (!answer.ok) {
      this.#fail(answer.error);
      return answer.error;
    }
    this.#failure = null;
    this.#known = leaseOf(answer.value);
    return null;
  }

  #terms(holder: string, transitions: number, acquiredWallMs: number | null): Parameters<typeof withTerms>[1] {
    // Who gives it up leaves it to whoever comes next.
    const durationMs = holder === '' ? 1000 : this.#times.durationMs;
    return { holder, durationMs, transitions, acquiredWallMs, nowWallMs: this.#options.clock.wallMs() };
  }

  #lead(askedAtMs: number, transitions: number, cameBy: Term['cameBy']): void {
    const { clock, holder } = this.#options;
    const validUntilMs = askedAtMs + this.#times.deadlineMs;
    if (!this.#isStanding || clock.nowMs() >= validUntilMs) return;
    this.#transitions = transitions + 1;
    this.#office = new Office(clock, validUntilMs, { holder, transitions, cameBy });
    this.#armExpiry(this.#office);
    this.#become({ state: 'leading', term: this.#office.term });
  }

  #prolong(office: Office, askedAtMs: number): void {
    office.prolong(askedAtMs + this.#times.deadlineMs);
    if (office.term.isValid()) this.#armExpiry(office);
    else this.#endOffice();
  }

  /** The office ends on time even if no attempt ends. */
  #armExpiry(office: Office): void {
    this.#cancelExpiry();
    const { clock } = this.#options;
    this.#cancelExpiry = clock.after(office.term.validUntilMs() - clock.nowMs(), () => {
      if (this.#office === office) this.#endOffice();
    });
  }

  #endOffice(): void {
    if (this.#office === null) return;
    this.#cancelExpiry();
    this.#office.end();
    this.#office = null;
    this.#become({ state: 'following', holder: '' });
  }

  #fail(failure: ClusterFailure): void {
    this.#failure = failure;
    if (failure.code === 'conflict' || failure.code === 'exists') this.#known = null;
  }

  #become(state: LeaseState): void {
    const isSame = state.state === this.#state.state && JSON.stringify(state) === JSON.stringify(this.#state);
    this.#state = state;
    if (!isSame) for (const listener of this.#listeners) listener(state);
  }
}
