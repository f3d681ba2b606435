import { err, ok, type Result } from '@springtide/core/base';
import type { Cancel, Clock } from '@springtide/ports/clock';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import type { ApiClient } from '../client/api-client.ts';
import { announce } from './configuration.ts';
import { certificateOf, expiryOf, type Held, renewed } from './held.ts';
import { readSecret, type SecretId, writeSecret } from './secret.ts';

/** A certificate to serve with. */
export interface Served {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
  readonly expiresAtMs: number;
}

export interface KeeperOptions {
  readonly client: Pick<ApiClient, 'request'>;
  readonly clock: Clock;
  readonly secret: SecretId;
  /** The webhook configuration whose webhooks serve with it. */
  readonly configuration: string;
  /** Names and addresses by which API servers call it. */
  readonly hosts: readonly string[];
  /** False: somebody else fills the Secret, and tells the API server whom to believe. */
  readonly isOwn: boolean;
  /** Called with each new certificate. */
  readonly serve: (served: Served) => void;
  /** Called when something goes wrong that did not before, with a sentence. */
  readonly complain: (why: string) => void;
  readonly checkMs?: number;
}

/** A Secret that was changed is served so soon. */
const CHECK_MS = 10_000;
/** The same while there is nothing to serve with. */
const FIRST_MS = 1000;

/**
 * Keeps the certificate that a webhook serves with. Every replica looks at one Secret again and again; whichever finds
 * it missing or old renews it, and the others take what they find. Before a new authority is served, the API server
 * has been told of it for one round.
 */
export class CertificateKeeper {
  readonly #options: KeeperOptions;
  /** What is served now; empty: nothing yet. */
  #certificate = '';
  /** What the API server believes, as far as we have told it. */
  #authorities = '';
  /** As it was last told. */
  #trouble = '';
  #cancel: Cancel = () => {};
  #isStopped = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Looks at once, and from then on again and again. */
  async start(): Promise<void> {
    const looked = await this.look();
    if (this.#isStopped) return;
    const trouble = looked.ok ? '' : looked.error.message;
    if (trouble !== this.#trouble && trouble !== '') this.#options.complain(trouble);
    this.#trouble = trouble;
    const checkMs = this.#certificate === '' ? FIRST_MS : (this.#options.checkMs ?? CHECK_MS);
    this.#cancel = this.#options.clock.after(checkMs, () => void this.start());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Once: reads, renews what is old, tells the API server, serves. */
  async look(): Promise<Result<null, ClusterFailure>> {
    const { client, configuration, isOwn, serve } = this.#options;
    const held = await this.#held();
    if (!held.ok) return held;
    const { authorities, certificate, key } = held.value;
    const read = certificateOf(held.value);
    if (read === null) return err(this.#failure('has no certificate and key that belong together'));
    const expiresAtMs = expiryOf(read);
    const told = await announce(client, { configuration, authorities: isOwn ? authorities : null, expiresAtMs });
    if (!told.ok) return told;
    const isNewAuthority = isOwn && this.#authorities !== authorities && this.#certificate !== '';
    this.#authorities = authorities;
    if (isNewAuthority || certificate === this.#certificate) return ok(null);
    serve({ cert: certificate, key, expiresAtMs });
    this.#certificate = certificate;
    return ok(null);
  }

  async #held(): Promise<Result<Held, ClusterFailure>> {
    const { client, secret, hosts, isOwn, clock } = this.#options;
    const read = await readSecret(client, secret);
    if (!read.ok) return err(this.#failure(`cannot be read: ${read.error.message}`));
    const wanted = isOwn ? renewed(read.value.held, hosts, clock.wallMs()) : null;
    if (wanted === null) return ok(read.value.held);
    const written = await writeSecret(client, secret, read.value, wanted);
    if (written.ok) return ok(written.value.held);
    // Another replica was faster: what it has written is as good.
    if (written.error.code !== 'conflict') return err(this.#failure(`cannot be written: ${written.error.message}`));
    const again = await readSecret(client, secret);
    return again.ok ? ok(again.value.held) : again;
  }

  #failure(what: string): ClusterFailure {
    const { namespace, name } = this.#options.secret;
    return clusterFailure('credentials', `the Secret ${namespace}/${name} ${what}`);
  }
}
