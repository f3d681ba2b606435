import { err, ok, type Result } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { ConnectionConfig } from './connection-config.ts';
import { type Credentials, credentialsOf, type Identity, readMaterial } from './credentials.ts';

export interface Route {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  /** Goes before every path. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 60_000;
/** Certificates in files are looked at again this often. */
const MATERIAL_MS = 300_000;

interface Tls {
  readonly ca?: Buffer;
  readonly cert?: Buffer | string;
  readonly key?: Buffer | string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/**
 * Connections to one API server, kept alive, with credentials that are kept up to date. New certificates make new
 * connections; the old ones are closed when what runs over them has ended.
 */
export class Transport {
  readonly #config: ConnectionConfig;
  readonly #clock: Clock;
  readonly #connectionsMax: number;
  readonly #credentials: Credentials;
  #dispatcher: { readonly tls: string; readonly of: Dispatcher; readonly checkedAtMs: number } | null = null;

  constructor(config: ConnectionConfig, clock: Clock, connectionsMax: number) {
    this.#config = config;
    this.#clock = clock;
    this.#connectionsMax = connectionsMax;
    this.#credentials = credentialsOf(config, clock);
  }

  async route(): Promise<Result<Route, ClusterFailure>> {
    const identity = await this.#credentials.identity();
    if (!identity.ok) return identity;
    const dispatcher = await this.#dispatcherFor(identity.value);
    if (!dispatcher.ok) return dispatcher;
    const { origin, pathname } = new URL(this.#config.server);
    const prefix = pathname === '/' ? '' : pathname;
    return ok({ dispatcher: dispatcher.value, origin, prefix, headers: this.#headers(identity.value) });
  }

  /** The API server did not accept who we are: tokens and certificates are read anew for the next request. */
  forget(): void {
    this.#credentials.forget();
    if (this.#dispatcher !== null) this.#dispatcher = { ...this.#dispatcher, checkedAtMs: Number.NEGATIVE_INFINITY };
  }

  async close(): Promise<void> {
    const dispatcher = this.#dispatcher?.of;
    this.#dispatcher = null;
    await dispatcher?.destroy();
  }

  #headers({ authorization }: Identity): Route['headers'] {
    const headers: Record<string, string | string[]> = { accept: 'application/json', 'user-agent': 'springtide' };
    if (authorization !== '') headers['authorization'] = authorization;
    for (const [name, values] of this.#config.impersonation) headers[name] = [...values];
    return headers;
  }

  async #dispatcherFor(identity: Identity): Promise<Result<Dispatcher, ClusterFailure>> {
    const held = this.#dispatcher;
    const nowMs = this.#clock.nowMs();
    if (held !== null && identity.certificate === null && nowMs - held.checkedAtMs < MATERIAL_MS) return ok(held.of);
    const tls = await this.#tls(identity);
    if (!tls.ok) return held === null ? tls : ok(held.of);
    const key = fingerprint(tls.value);
    const current = this.#dispatcher;
    if (current?.tls === key) {
      this.#dispatcher = { ...current, checkedAtMs: nowMs };
      return ok(current.of);
    }
    const made = this.#connect(tls.value);
    if (!made.ok) return made;
    this.#dispatcher = { tls: key, of: made.value, checkedAtMs: nowMs };
    void current?.of.close();
    return made;
  }

  async #tls({ certificate }: Identity): Promise<Result<Tls, ClusterFailure>> {
    const { authority, serverName, isInsecure } = this.#config;
    const tls: { -readonly [key in keyof Tls]: Tls[key] } = {};
    if (serverName !== '') tls.servername = serverName;
    if (isInsecure) tls.rejectUnauthorized = false;
    const materials = certificate === null ? { cert: this.#config.certificate, key: this.#config.key } : {};
    for (const [name, material] of Object.entries({ ca: authority, ...materials })) {
      if (material === null) continue;
      const bytes = await readMaterial(material);
      if (!bytes.ok) return bytes;
      tls[name as 'ca' | 'cert' | 'key'] = bytes.value;
    }
    return ok(certificate === null ? tls : { ...tls, ...certificate });
  }

  #connect(tls: Tls): Result<Dispatcher, ClusterFailure> {
    const { server, proxy } = this.#config;
    const connect = { ...tls, timeout: CONNECT_TIMEOUT_MS };
    // Times are kept by our own clock; bodies are bounded where they are read.
    const options = {
      connections: this.#connectionsMax,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    };
    try {
      if (proxy === '') return ok(new Pool(new URL(server).origin, { ...options, connect }));
      return ok(new ProxyAgent({ uri: proxy, requestTls: connect, ...options }));
    } catch {
      return err(clusterFailure('config', proxy === '' ? 'certificate or key is no PEM' : 'proxy-url is no address'));
    }
  }
}

function fingerprint(tls: Tls): string {
  return [tls.ca, tls.cert, tls.key].map((part) => part?.toString('latin1') ?? '').join('\0');
}
