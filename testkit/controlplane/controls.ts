import type { KeyPair, Subject } from './identity/certificates.ts';
import type { KubeSchedulerOptions, RestartOptions } from './options.ts';
import type { Usage } from './process/usage.ts';

export interface RunningScheduler {
  /** The name of the part, for `stopPart` and `usage`. */
  readonly part: string;
  readonly port: number;
}

/**
 * What only the process that started the programs can do to them. Tests run in other processes and ask it to, over
 * `control-socket.ts`; everything here takes and gives plain JSON.
 */
export interface Controls {
  restartApiServer(options: RestartOptions): Promise<void>;
  stopEtcdFor(ms: number): Promise<void>;
  startKubeScheduler(options: KubeSchedulerOptions): Promise<RunningScheduler>;
  stopPart(part: string): Promise<void>;
  usage(): Promise<Readonly<Record<string, Usage>>>;
  issueClient(subject: Subject): Promise<KeyPair>;
}
