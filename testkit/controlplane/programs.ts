import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from './api-client.ts';
import type { Assets } from './assets/index.ts';
import type { BinaryName } from './assets/recipe.ts';
import { auditPolicy } from './audit.ts';
import type { Controls, RunningScheduler } from './controls.ts';
import {
  apiServerFlags,
  controllerManagerFlags,
  etcdFlags,
  kwokFlags,
  schedulerConfiguration,
  schedulerFlags,
} from './flags.ts';
import type { KeyPair, Subject } from './identity/certificates.ts';
import { type Identities, writeIdentities } from './identity/write-identities.ts';
import { fileIn, type Layout } from './layout.ts';
import type { ControlPlaneOptions, KubeSchedulerOptions, RestartOptions } from './options.ts';
import { Part } from './process/part.ts';
import { freePorts } from './process/ports.ts';
import { type Usage, usageOf } from './process/usage.ts';
import type { Watch } from './process/watch.ts';

/** A part that is asked whether it is ready says so at once, or is asked again. */
const probeMs = 5_000;
const restartsMax = 5;

/** What we add to KWOK: how much it does at a time, and stages of our own. */
const ownKwok = join(import.meta.dirname, 'kwok');

/** The programs of one control plane, started by this process. */
export class Programs implements Controls {
  readonly identities: Identities;
  readonly #layout: Layout;
  readonly #assets: Assets;
  readonly #options: ControlPlaneOptions;
  readonly #watch: Watch;
  readonly #api: ApiClient;
  readonly #etcd: Part;
  readonly #apiServer: Part;
  readonly #controllerManager: Part;
  readonly #kwok: Part;
  readonly #schedulers = new Map<string, Part>();

  constructor(layout: Layout, assets: Assets, options: ControlPlaneOptions, watch: Watch) {
    this.#layout = layout;
    this.#assets = assets;
    this.#options = options;
    this.#watch = watch;
    this.identities = writeIdentities(layout);
    writeFileSync(fileIn(layout, 'auditPolicy'), JSON.stringify(auditPolicy(options.auditLevel ?? 'Metadata')));
    writeFileSync(fileIn(layout, 'kwok'), joined(ownKwok, assets.stagesFolder));
    const { authority, adminToken } = this.identities;
    this.#api = new ApiClient({
      port: layout.ports.apiServer,
      authority: authority.certificate,
      token: adminToken,
    });
    this.#etcd = this.#part('etcd', etcdFlags(layout, options));
    this.#apiServer = this.#part('kube-apiserver', apiServerFlags(layout, options));
    this.#controllerManager = this.#part('kube-controller-manager', controllerManagerFlags(layout, options));
    this.#kwok = this.#part('kwok', kwokFlags(layout));
  }

  #part(binary: BinaryName, flags: readonly string[], name: string = binary): Part {
    const logFile = join(this.#layout.folder, `${name}.log`);
    return new Part({ name, command: this.#assets.binaries[binary], flags, logFile, watch: this.#watch, restartsMax });
  }

  async start(): Promise<void> {
    // The API server looks for etcd until it is there, so both can start at once.
    this.#etcd.start();
    this.#apiServer.start();
    await this.#untilEtcdIsReady();
    await this.#startClients();
  }

  async #startClients(): Promise<void> {
    try {
      await this.#untilApiServerIsReady();
    } finally {
      // Even if it takes too long for the test that waits: the tests after it need them.
      this.#controllerManager.start();
      this.#kwok.start();
    }
    await Promise.all([
      // A pod cannot be made before its namespace has the account.
      this.#controllerManager.untilReady(() => this.#answers('/api/v1/namespaces/default/serviceaccounts/default')),
      this.#kwok.untilReady(() => isHealthy(`http://127.0.0.1:${this.#layout.ports.kwok}/healthz`)),
    ]);
  }

  /**
   * Ends the controllers and KWOK for as long as the API server cannot answer. They would try again less and less
   * often, and a test would then wait half a minute for them.
   */
  async #stopClients(): Promise<void> {
    await Promise.all([this.#kwok.stop('SIGKILL'), this.#controllerManager.stop('SIGKILL')]);
  }

  /** The clients first, and the API server before etcd, without which it would hang. Nobody needs a farewell. */
  async stop(): Promise<void> {
    await this.#stopClients();
    await Promise.all(Array.from(this.#schedulers.values(), (part) => part.stop('SIGKILL')));
    await this.#apiServer.stop('SIGKILL');
    await this.#etcd.stop('SIGKILL');
    this.#api.close();
  }

  async restartApiServer({ signal = 'SIGTERM', downMs = 0 }: RestartOptions): Promise<void> {
    await this.#stopClients();
    await this.#apiServer.stop(signal);
    if (downMs > 0) await sleep(downMs);
    this.#apiServer.start();
    await this.#startClients();
  }

  async stopEtcdFor(ms: number): Promise<void> {
    await this.#stopClients();
    // Asked to stop, it would wait for the API server to let go of it. What it was told is with the system by then.
    await this.#etcd.stop('SIGKILL');
    await sleep(ms);
    this.#etcd.start();
    await this.#untilEtcdIsReady();
    await this.#startClients();
  }

  async startKubeScheduler(options: KubeSchedulerOptions): Promise<RunningScheduler> {
    const [port = 0] = await freePorts(1);
    const name = `kube-scheduler-${this.#schedulers.size + 1}`;
    const configFile = join(this.#layout.folder, `${name}.json`);
    writeFileSync(configFile, JSON.stringify(schedulerConfiguration(this.#layout, options)));
    const featureGates = { ...this.#options.featureGates, ...options.featureGates };
    const flags = schedulerFlags(this.#layout, { ...options, featureGates }, { configFile, port });
    const part = this.#part('kube-scheduler', flags, name);
    this.#schedulers.set(name, part);
    part.start();
    const { authority, adminToken } = this.identities;
    const api = new ApiClient({ port, authority: authority.certificate, token: adminToken });
    await part.untilReady(() => answersWell(api, '/readyz'));
    api.close();
    return { part: name, port };
  }

  async stopPart(name: string): Promise<void> {
    await this.#parts().get(name)?.stop();
  }

  async usage(): Promise<Readonly<Record<string, Usage>>> {
    const used: Record<string, Usage> = {};
    for (const [name, part] of this.#parts()) {
      const usage = part.isRunning && part.pid !== null ? usageOf(part.pid) : null;
      if (usage !== null) used[name] = usage;
    }
    return used;
  }

  async issueClient(subject: Subject): Promise<KeyPair> {
    return this.identities.authority.issueClient(subject);
  }

  /** As the API server itself says it. */
  async version(): Promise<string> {
    const { gitVersion } = (await this.#api.get('/version')) as { readonly gitVersion: string };
    return gitVersion;
  }

  #parts(): Map<string, Part> {
    const always = [this.#etcd, this.#apiServer, this.#controllerManager, this.#kwok];
    return new Map([...always.map((part) => [part.name, part] as const), ...this.#schedulers]);
  }

  #untilEtcdIsReady(): Promise<void> {
    return this.#etcd.untilReady(() => isHealthy(`http://127.0.0.1:${this.#layout.ports.etcd}/health`));
  }

  #untilApiServerIsReady(): Promise<void> {
    return this.#apiServer.untilReady(() => this.#answers('/readyz'));
  }

  #answers(path: string): Promise<boolean> {
    return answersWell(this.#api, path);
  }
}

/** The documents of several folders, by file name, as one file. */
function joined(...folders: readonly string[]): string {
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .toSorted()
      .map((name) => join(folder, name)),
  );
  return files.map((file) => readFileSync(file, 'utf8')).join('\n---\n');
}

async function answersWell(api: ApiClient, path: string): Promise<boolean> {
  try {
    return (await api.send({ method: 'GET', path, timeoutMs: probeMs })).status === 200;
  } catch {
    return false;
  }
}

function isHealthy(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get(url, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.setTimeout(probeMs, () => asked.destroy());
    asked.on('error', () => resolve(false));
  });
}
