import { randomBytes } from 'node:crypto';
import { systemClock } from '@springtide/adapters/clock';
import { HttpServer, type Inlet, type Page, plain, type Route, type TlsPair } from '@springtide/adapters/http';
import { ApiClient, type ConnectionConfig, Reviews, Transport } from '@springtide/adapters/kubernetes/client';
import { jobsInProgress, readMessage, Suspensions } from '@springtide/adapters/kubernetes/progress';
import { ADMISSION_DEFAULTS, isEviction } from '@springtide/core/admission';
import { mulberry32 } from '@springtide/core/base';
import type { JobRecord } from '@springtide/core/model';
import type { ProgressNews } from '@springtide/core/progress';
import { ProgressMetrics, ProgressService } from '@springtide/services/progress';
import { BadInput } from '../../terminal/index.ts';
import { addProcessMetrics } from '../scheduler/client-metrics.ts';
import { listenAddress } from '../scheduler/listen-address.ts';
import { judged } from '../scheduler/pages.ts';
import { HELPER_FILE, helperText } from './python-helper.ts';

/** Where jobs post. The version is of what they send. */
export const PROGRESS_PATH = '/v1/progress';

/** A heartbeat has a few hundred. */
const MESSAGE_BYTES_MAX = 16_384;
/** To the API server. */
const CONNECTIONS_MAX = 16;
/** From jobs. */
const CLIENTS_MAX = 16_384;

export interface ProgressSettings {
  readonly config: ConnectionConfig;
  /** `HOST:PORT`. */
  readonly listen: string;
  readonly tls: TlsPair | null;
  /** Hears what follows from heartbeats. */
  readonly tell: (news: ProgressNews) => void;
}

export interface Progress {
  readonly port: number;
  readonly service: ProgressService;
  readonly stop: () => Promise<void>;
}

/** Takes heartbeats on a Kubernetes API server. Rejects with `BadInput` where it cannot listen. */
export async function startProgress({ config, listen, tls, tell }: ProgressSettings): Promise<Progress> {
  const { host, port } = listenAddress(listen);
  const transport = new Transport(config, systemClock, CONNECTIONS_MAX);
  const client = new ApiClient(transport, systemClock);
  const metrics: ProgressMetrics = new ProgressMetrics(() => service.count);
  addProcessMetrics(metrics.registry);
  const service = new ProgressService({
    jobs: jobsInProgress(client, systemClock),
    clock: systemClock,
    tell: (news) => {
      metrics.heard(news);
      tell(news);
    },
  });
  const suspensions = new Suspensions({
    client,
    clock: systemClock,
    random: mulberry32(randomBytes(4).readUInt32LE()),
    told: (job, leaving) => askOrCallOff(service, job, leaving),
  });
  const reviews = new Reviews(client, systemClock);
  const server = new HttpServer({
    routes: pagesOf(metrics),
    inlets: [inletOf(service, metrics)],
    judge: (token, path) => judged(reviews, token, path),
    tls,
    connectionsMax: CLIENTS_MAX,
  });
  const listening = await server.listen(host, port);
  if (!listening.ok) {
    await transport.close();
    throw new BadInput(`--listen ${listen}: ${listening.error}`);
  }
  service.start();
  suspensions.start();
  const stop = async (): Promise<void> => {
    service.stop();
    await suspensions.stop();
    await server.close();
    await transport.close();
  };
  return { port: listening.value, service, stop };
}

/** Who leaves for others has the grace that the queue controller gives it; who is in trouble is asked for nothing. */
function askOrCallOff(service: ProgressService, job: string, leaving: JobRecord | null): void {
  if (leaving === null || leaving.leaves === null || !isEviction(leaving.leaves)) return service.callOff(job);
  const leftMs = leaving.sinceMs + ADMISSION_DEFAULTS.graceMs - systemClock.wallMs();
  service.askForCheckpoint(job, leaving.incarnation, Math.max(0, leftMs));
}

function inletOf(service: ProgressService, metrics: ProgressMetrics): Inlet {
  return {
    path: PROGRESS_PATH,
    bytesMax: MESSAGE_BYTES_MAX,
    answer: async (body, token): Promise<Page> => {
      const reply = await service.answer(token, readMessage(body.toString('utf8')));
      metrics.answered(reply.outcome);
      return { status: reply.status, contentType: 'application/json', body: `${JSON.stringify(reply.body)}\n` };
    },
  };
}

function pagesOf(metrics: ProgressMetrics): Route[] {
  const contentType = metrics.registry.contentType;
  return [
    { path: '/healthz', isOpen: true, page: () => plain(200, 'ok') },
    { path: `/${HELPER_FILE}`, isOpen: true, page: () => plain(200, helperText()) },
    {
      path: '/metrics',
      isOpen: false,
      page: async () => ({ status: 200, contentType, body: await metrics.registry.metrics() }),
    },
  ];
}
