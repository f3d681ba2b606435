import { err, ok, type Result } from '@springtide/core/base';
import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { InputFault } from '../fault.ts';
import { type Fields, fieldsAt, fieldsOf, textAt } from '../fields.ts';
import type { ConnectionConfig, ExecPlugin } from './connection-config.ts';

/** What a credential plug-in gave. */
export interface ExecCredential {
  readonly token: string;
  readonly certificate: string;
  readonly key: string;
  /** By the wall clock; null: until the API server refuses it. */
  readonly expiresAtMs: number | null;
}

const PLUGIN_TIMEOUT_MS = 60_000;
const PLUGIN_BYTES_MAX = 1 << 20;

/** Runs a credential plug-in as kubectl does, without a terminal. Its output is never shown: it is a secret. */
export function runExecPlugin(
  plugin: ExecPlugin,
  config: ConnectionConfig,
  authority: Buffer | null,
): Promise<Result<ExecCredential, ClusterFailure>> {
  const env = {
    ...process.env,
    ...Object.fromEntries(plugin.env),
    KUBERNETES_EXEC_INFO: execInfo(plugin, config, authority),
  };
  const command = plugin.command.includes('/') ? resolve(plugin.folder, plugin.command) : plugin.command;
  const limits = { timeout: PLUGIN_TIMEOUT_MS, maxBuffer: PLUGIN_BYTES_MAX, killSignal: 'SIGKILL' as const };
  return new Promise((settle) => {
    const child = execFile(command, [...plugin.args], { env, encoding: 'utf8', ...limits }, (error, stdout) => {
      settle(error === null ? credentialOf(plugin, stdout) : err(failed(plugin, error)));
    });
    child.stdin?.end();
  });
}

/** What the plug-in is told of its task. */
function execInfo(plugin: ExecPlugin, config: ConnectionConfig, authority: Buffer | null): string {
  const cluster = {
    server: config.server,
    ...(config.serverName === '' ? {} : { 'tls-server-name': config.serverName }),
    ...(config.isInsecure ? { 'insecure-skip-tls-verify': true } : {}),
    ...(authority === null ? {} : { 'certificate-authority-data': authority.toString('base64') }),
  };
  const spec = { interactive: false, ...(plugin.wantsCluster ? { cluster } : {}) };
  return JSON.stringify({ apiVersion: plugin.apiVersion, kind: 'ExecCredential', spec });
}

function failed(plugin: ExecPlugin, error: Error & { readonly code?: string | number | null }): ClusterFailure {
  const how = typeof error.code === 'number' ? `ended with ${error.code}` : `failed: ${error.code ?? 'it was stopped'}`;
  return clusterFailure('credentials', `the credential plug-in ${plugin.command} ${how}`);
}

function credentialOf(plugin: ExecPlugin, stdout: string): Result<ExecCredential, ClusterFailure> {
  try {
    const root = fieldsOf(JSON.parse(stdout), null);
    const status = fieldsAt(root, 'status');
    const token = textAt(status, 'token');
    const certificate = textAt(status, 'clientCertificateData');
    const key = textAt(status, 'clientKeyData');
    if (token === '' && (certificate === '' || key === '')) return err(useless(plugin, 'no token and no certificate'));
    return ok({ token, certificate, key, expiresAtMs: expiryOf(status) });
  } catch (error) {
    if (!(error instanceof InputFault || error instanceof SyntaxError)) throw error;
    return err(useless(plugin, 'no ExecCredential'));
  }
}

function useless(plugin: ExecPlugin, what: string): ClusterFailure {
  return clusterFailure('credentials', `the credential plug-in ${plugin.command} gave ${what}`);
}

function expiryOf(status: Fields): number | null {
  const at = Date.parse(textAt(status, 'expirationTimestamp'));
  return Number.isNaN(at) ? null : at;
}
