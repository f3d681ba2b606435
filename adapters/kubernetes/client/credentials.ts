import { err, ok, type Result } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import { readFile } from 'node:fs/promises';
import type { ConnectionConfig, ExecPlugin, Material } from './connection-config.ts';
import { type ExecCredential, runExecPlugin } from './exec-plugin.ts';

/** Who we are for one request. */
export interface Identity {
  /** Empty: none. */
  readonly authorization: string;
  /** Of a plug-in, instead of the configured certificate; null: it gave none. */
  readonly certificate: { readonly cert: string; readonly key: string } | null;
}

export interface Credentials {
  readonly identity: () => Promise<Result<Identity, ClusterFailure>>;
  /** The API server refused what `identity` gave: it has to be had anew. */
  readonly forget: () => void;
}

/** Kubelets renew tokens long before they end; this often is soon enough, and what others do. */
const TOKEN_FILE_MS = 60_000;
/** A plug-in's credential is renewed so long before it ends. */
const EXPIRY_MARGIN_MS = 30_000;

export function credentialsOf(config: ConnectionConfig, clock: Clock): Credentials {
  const { authentication } = config;
  switch (authentication.kind) {
    case 'none':
      return fixed('');
    case 'token':
      return fixed(`Bearer ${authentication.token.trim()}`);
    case 'basic':
      return fixed(`Basic ${Buffer.from(`${authentication.username}:${authentication.password}`).toString('base64')}`);
    case 'token-file':
      return renewed(() => tokenFile(authentication.path, clock));
    case 'exec':
      return renewed(() => pluginIdentity(authentication.plugin, config, clock));
  }
}

function fixed(authorization: string): Credentials {
  const identity = ok({ authorization, certificate: null });
  return { identity: () => Promise.resolve(identity), forget: () => {} };
}

interface Renewed {
  readonly identity: Identity;
  readonly isFresh: () => boolean;
}

/** Had once, and again when it is no longer fresh; whoever asks meanwhile waits for the same answer. */
function renewed(renew: () => Promise<Result<Renewed, ClusterFailure>>): Credentials {
  let held: Renewed | null = null;
  let pending: Promise<Result<Identity, ClusterFailure>> | null = null;
  const take = async (): Promise<Result<Identity, ClusterFailure>> => {
    const got = await renew();
    pending = null;
    // What was good a moment ago may still be: the API server will tell.
    if (!got.ok) return held === null ? got : ok(held.identity);
    held = got.value;
    return ok(held.identity);
  };
  return {
    identity: () => {
      if (held?.isFresh() === true) return Promise.resolve(ok(held.identity));
      pending ??= take();
      return pending;
    },
    forget: () => {
      held = null;
    },
  };
}

async function tokenFile(path: string, clock: Clock): Promise<Result<Renewed, ClusterFailure>> {
  const bytes = await readMaterial({ kind: 'file', path });
  if (!bytes.ok) return bytes;
  const token = bytes.value.toString('utf8').trim();
  if (token === '') return err(clusterFailure('credentials', `the token file ${path} is empty`));
  const untilMs = clock.nowMs() + TOKEN_FILE_MS;
  const identity = { authorization: `Bearer ${token}`, certificate: null };
  return ok({ identity, isFresh: () => clock.nowMs() < untilMs });
}

async function pluginIdentity(
  plugin: ExecPlugin,
  config: ConnectionConfig,
  clock: Clock,
): Promise<Result<Renewed, ClusterFailure>> {
  const authority = config.authority === null ? null : await readMaterial(config.authority);
  const ran = await runExecPlugin(plugin, config, authority?.ok === true ? authority.value : null);
  if (!ran.ok) return ran;
  const { expiresAtMs } = ran.value;
  const isFresh = (): boolean => expiresAtMs === null || clock.wallMs() < expiresAtMs - EXPIRY_MARGIN_MS;
  return ok({ identity: identityOf(ran.value), isFresh });
}

function identityOf({ token, certificate, key }: ExecCredential): Identity {
  return {
    authorization: token === '' ? '' : `Bearer ${token}`,
    certificate: certificate === '' || key === '' ? null : { cert: certificate, key },
  };
}

export async function readMaterial(material: Material): Promise<Result<Buffer, ClusterFailure>> {
  if (material.kind === 'data') return ok(material.bytes);
  try {
    return ok(await readFile(material.path));
  } catch (error) {
    return err(clusterFailure('credentials', error instanceof Error ? error.message : `${material.path}: unreadable`));
  }
}
