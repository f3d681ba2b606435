import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from './api-client.ts';
import { type AuditEvent, readAudit } from './audit.ts';
import type { Controls } from './controls.ts';
import { remoteControls } from './control-socket.ts';
import type { Subject } from './identity/certificates.ts';
import { kubeconfigOf } from './identity/kubeconfig.ts';
import { KubeScheduler } from './kube-scheduler.ts';
import { fileIn, fileNames, type Layout, urlOf } from './layout.ts';
import type { KubeSchedulerOptions, RestartOptions } from './options.ts';
import type { Usage } from './process/usage.ts';

/** What another process needs to use a control plane that runs. */
export interface Facts {
  readonly layout: Layout;
  /** As the API server says it, such as `v1.37.2`. */
  readonly version: string;
  readonly adminToken: string;
  readonly kubectl: string;
}

/** The most that one call of kubectl may print. */
const outputBytesMax = 256 * 1024 ** 2;

/** A control plane that runs, seen by whoever uses it: from the process that started it or from another. */
export class ControlPlane {
  readonly url: string;
  readonly version: string;
  /** The authority of the API server's certificate, as a file and as PEM. */
  readonly caFile: string;
  readonly ca: string;
  readonly adminToken: string;
  /** A file: the admin, who may do everything. */
  readonly adminKubeconfig: string;
  readonly auditFile: string;
  /** Logs of every part, the data of etcd, and the files above. */
  readonly folder: string;
  /** Speaks as the admin, unless it is told otherwise. */
  readonly api: ApiClient;
  readonly #facts: Facts;
  readonly #controls: Controls;
  readonly #end: () => Promise<void>;
  #kubeconfigsCount = 0;

  constructor(facts: Facts, controls: Controls, end: () => Promise<void>) {
    const { layout } = facts;
    this.#facts = facts;
    this.#controls = controls;
    this.#end = end;
    this.url = urlOf(layout);
    this.version = facts.version;
    this.caFile = fileIn(layout, 'authority');
    this.ca = readFileSync(this.caFile, 'utf8');
    this.adminToken = facts.adminToken;
    this.adminKubeconfig = fileIn(layout, 'adminUser');
    this.auditFile = fileIn(layout, 'audit');
    this.folder = layout.folder;
    this.api = new ApiClient({ port: layout.ports.apiServer, authority: this.ca, token: facts.adminToken });
  }

  /** Runs kubectl as the admin and returns what it prints. Fails as it does, with what it says about it. */
  kubectl(words: readonly string[], input = ''): Promise<string> {
    const cache = join(this.folder, 'kubectl-cache');
    const env = { ...process.env, KUBECONFIG: this.adminKubeconfig, KUBECACHEDIR: cache, KUBECTL_KUBERC: 'false' };
    return new Promise((resolve, reject) => {
      const finish = (error: Error | null, stdout: string, stderr: string): void => {
        if (error === null) resolve(stdout);
        else reject(new Error(`kubectl ${words.join(' ')}: ${stderr.trim() || error.message}`));
      };
      const child = execFile(this.#facts.kubectl, [...words], { env, maxBuffer: outputBytesMax }, finish);
      // It may end before it has read everything.
      child.stdin?.on('error', () => {});
      child.stdin?.end(input);
    });
  }

  /** Writes a kubeconfig of somebody who has a token, such as a service account, and returns the file. */
  kubeconfigWithToken(user: string, token: string): string {
    return this.#writeKubeconfig(
      user,
      kubeconfigOf({ url: this.url, authority: this.ca, user, credentials: { token } }),
    );
  }

  /** Writes a kubeconfig of somebody who has a client certificate, and returns the file. */
  async kubeconfigWithCertificate(subject: Subject): Promise<string> {
    const keyPair = await this.#controls.issueClient(subject);
    const user = subject.commonName;
    return this.#writeKubeconfig(
      user,
      kubeconfigOf({ url: this.url, authority: this.ca, user, credentials: { keyPair } }),
    );
  }

  #writeKubeconfig(user: string, text: string): string {
    this.#kubeconfigsCount += 1;
    const name = `${user.replaceAll(/[^\w-]/g, '-')}-${process.pid}-${this.#kubeconfigsCount}.kubeconfig`;
    const file = join(this.folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  /** What the audit log holds now, oldest first. */
  auditEvents(): AsyncGenerator<AuditEvent> {
    return readAudit(this.auditFile);
  }

  /** Stops the API server, leaves it down for a while if wished, and starts it again on the same port. */
  restartApiServer(options: RestartOptions = {}): Promise<void> {
    return this.#controls.restartApiServer(options);
  }

  /** Stops etcd, starts it again after `ms`, and returns when the API server is ready again. */
  stopEtcdFor(ms: number): Promise<void> {
    return this.#controls.stopEtcdFor(ms);
  }

  /** Starts a kube-scheduler. None runs until a test starts one. */
  async startKubeScheduler(options: KubeSchedulerOptions = {}): Promise<KubeScheduler> {
    const running = await this.#controls.startKubeScheduler(options);
    const access = { port: running.port, authority: this.ca, token: this.adminToken };
    return new KubeScheduler(running.part, this.#controls, access);
  }

  /** What each part has used, by name. On Linux only; empty elsewhere. */
  usage(): Promise<Readonly<Record<string, Usage>>> {
    return this.#controls.usage();
  }

  /** Ends every program and removes the folder, in the process that started them; lets go of them in another. */
  async stop(): Promise<void> {
    this.api.close();
    await this.#end();
  }
}

/** A control plane that another process has started; only that process can stop it. */
export function attachControlPlane(folder: string): ControlPlane {
  const facts = JSON.parse(readFileSync(join(folder, fileNames.facts), 'utf8')) as Facts;
  return new ControlPlane(facts, remoteControls(join(folder, fileNames.socket)), async () => {});
}
