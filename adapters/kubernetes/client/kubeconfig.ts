import { err, ok, type Result } from '@springtide/core/base';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { InputFault, inputError, inputErrorText } from '../fault.ts';
import {
  type Fields,
  booleanAt,
  fieldsAt,
  fieldsOf,
  has,
  itemsAt,
  requiredTextAt,
  textAt,
  textsAt,
} from '../fields.ts';
import type { Authentication, ConnectionConfig, ExecPlugin, Material } from './connection-config.ts';

export interface KubeconfigOptions {
  /** One file; absent: `KUBECONFIG`, else the one in the home folder. */
  readonly path?: string;
  readonly context?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** An entry of a kubeconfig with the folder that its paths start from. */
interface Entry {
  readonly fields: Fields;
  readonly folder: string;
}

/** Several files as one: of entries with one name the first counts, and the first current context. */
interface Kubeconfig {
  readonly clusters: Map<string, Entry>;
  readonly users: Map<string, Entry>;
  readonly contexts: Map<string, Entry>;
  currentContext: string;
}

/** The connection that a kubeconfig names. Files that do not exist are passed over if there are several. */
export function readKubeconfig(options: KubeconfigOptions = {}): Result<ConnectionConfig, ClusterFailure> {
  const { env = process.env } = options;
  const paths = options.path === undefined ? usualPaths(env) : [options.path];
  const merged: Kubeconfig = { clusters: new Map(), users: new Map(), contexts: new Map(), currentContext: '' };
  let found = 0;
  for (const path of paths) {
    const text = textOf(path);
    if (!text.ok && paths.length > 1) continue;
    if (!text.ok) return text;
    found += 1;
    const failure = addFile(merged, path, text.value);
    if (failure !== null) return err(failure);
  }
  if (found === 0) return err(clusterFailure('config', `no kubeconfig: none of ${paths.join(', ')} can be read`));
  return connectionOf(merged, options.context ?? merged.currentContext);
}

function usualPaths(env: Readonly<Record<string, string | undefined>>): string[] {
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  return listed.length > 0 ? listed : [join(env['HOME'] || ownHome(), '.kube', 'config')];
}

/** A container's user may be a number without a name, and then has none: as container engines do, `/`. */
function ownHome(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}

function textOf(path: string): Result<string, ClusterFailure> {
  try {
    return ok(readFileSync(path, 'utf8'));
  } catch (error) {
    return err(clusterFailure('config', `${path}: ${error instanceof Error ? error.message : 'unreadable'}`));
  }
}

/** Takes a file in; what is wrong with it, if anything is. */
function addFile(into: Kubeconfig, path: string, text: string): ClusterFailure | null {
  return guarded(path, () => {
    const root = fieldsOf(valueOf(text), null);
    const folder = dirname(resolve(path));
    for (const [key, entries] of [
      ['clusters', into.clusters],
      ['users', into.users],
      ['contexts', into.contexts],
    ] as const) {
      for (const item of itemsAt(root, key)) {
        const name = requiredTextAt(item, 'name');
        if (!entries.has(name)) entries.set(name, { fields: fieldsAt(item, key.slice(0, -1)), folder });
      }
    }
    into.currentContext ||= textAt(root, 'current-context');
  });
}

function valueOf(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100 });
  } catch {
    // The parser's own message quotes the text, which holds secrets.
    throw new InputFault('syntax', null, 'YAML', undefined);
  }
}

function guarded(file: string, read: () => void): ClusterFailure | null {
  try {
    read();
    return null;
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    const shown = { file, line: null, column: null, subject: '' };
    return clusterFailure('config', inputErrorText({ ...inputError(error, shown), found: '' }));
  }
}

function connectionOf(config: Kubeconfig, context: string): Result<ConnectionConfig, ClusterFailure> {
  if (context === '') return err(clusterFailure('config', 'the kubeconfig names no current context'));
  const chosen = config.contexts.get(context);
  if (chosen === undefined) return err(clusterFailure('config', `the kubeconfig has no context "${context}"`));
  let connection: ConnectionConfig | null = null;
  const failure = guarded(`context "${context}"`, () => {
    const name = textAt(chosen.fields, 'cluster');
    const cluster = entryOf(config.clusters, name, chosen.fields, 'cluster');
    const user = entryOf(config.users, textAt(chosen.fields, 'user'), chosen.fields, 'user');
    const namespace = textAt(chosen.fields, 'namespace') || 'default';
    connection = { ...serverOf(cluster), ...userOf(user), namespace, cluster: name };
  });
  if (failure !== null) return err(failure);
  return connection === null ? err(clusterFailure('config', 'nothing was read')) : ok(connection);
}

function entryOf(entries: ReadonlyMap<string, Entry>, name: string, context: Fields, key: string): Entry {
  const entry = entries.get(name);
  if (entry !== undefined) return entry;
  throw new InputFault('value', { parent: context.path, key }, `the name of one of its ${key}s`, name);
}

type ServerPart = Pick<ConnectionConfig, 'server' | 'serverName' | 'isInsecure' | 'authority' | 'proxy'>;

function serverOf({ fields, folder }: Entry): ServerPart {
  const server = requiredTextAt(fields, 'server').replace(/\/+$/, '');
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol)) {
    throw new InputFault('value', { parent: fields.path, key: 'server' }, 'an http or https address', server);
  }
  return {
    server,
    serverName: textAt(fields, 'tls-server-name'),
    isInsecure: booleanAt(fields, 'insecure-skip-tls-verify'),
    authority: materialAt(fields, 'certificate-authority', folder),
    proxy: textAt(fields, 'proxy-url'),
  };
}

type UserPart = Pick<ConnectionConfig, 'certificate' | 'key' | 'authentication' | 'impersonation'>;

function userOf({ fields, folder }: Entry): UserPart {
  return {
    certificate: materialAt(fields, 'client-certificate', folder),
    key: materialAt(fields, 'client-key', folder),
    authentication: authenticationOf(fields, folder),
    impersonation: impersonationOf(fields),
  };
}

/** Given in place wins, as kubectl has it. */
function materialAt(fields: Fields, key: string, folder: string): Material | null {
  const data = textAt(fields, `${key}-data`);
  if (data !== '') return { kind: 'data', bytes: Buffer.from(data, 'base64') };
  const path = textAt(fields, key);
  return path === '' ? null : { kind: 'file', path: resolve(folder, path) };
}

/** A token file wins over a token, since it is the one that is kept up to date. */
function authenticationOf(fields: Fields, folder: string): Authentication {
  const path = textAt(fields, 'tokenFile');
  if (path !== '') return { kind: 'token-file', path: resolve(folder, path) };
  const token = textAt(fields, 'token');
  if (token !== '') return { kind: 'token', token };
  const username = textAt(fields, 'username');
  if (username !== '') return { kind: 'basic', username, password: textAt(fields, 'password') };
  if (has(fields, 'exec')) return { kind: 'exec', plugin: pluginOf(fieldsAt(fields, 'exec'), folder) };
  if (!has(fields, 'auth-provider')) return { kind: 'none' };
  const expected = 'an exec plug-in: auth-provider is gone from kubectl since 1.26';
  throw new InputFault('value', { parent: fields.path, key: 'auth-provider' }, expected, undefined);
}

function pluginOf(fields: Fields, folder: string): ExecPlugin {
  const env = itemsAt(fields, 'env').map((item) => [requiredTextAt(item, 'name'), textAt(item, 'value')] as const);
  return {
    apiVersion: requiredTextAt(fields, 'apiVersion'),
    command: requiredTextAt(fields, 'command'),
    args: textsAt(fields, 'args'),
    env: new Map(env),
    wantsCluster: booleanAt(fields, 'provideClusterInfo'),
    folder,
  };
}

function impersonationOf(fields: Fields): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, readonly string[]>();
  const user = textAt(fields, 'as');
  if (user !== '') headers.set('impersonate-user', [user]);
  const uid = textAt(fields, 'as-uid');
  if (uid !== '') headers.set('impersonate-uid', [uid]);
  const groups = textsAt(fields, 'as-groups');
  if (groups.length > 0) headers.set('impersonate-group', groups);
  const { values } = fieldsAt(fields, 'as-user-extra');
  for (const key of Object.keys(values)) {
    headers.set(
      `impersonate-extra-${encodeURIComponent(key.toLowerCase())}`,
      textsAt(fieldsAt(fields, 'as-user-extra'), key),
    );
  }
  return headers;
}
