import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Command } from 'commander';
import { systemClock } from '@springtide/adapters/clock';
import { type ConnectionConfig } from '@springtide/adapters/kubernetes/client';
import { KubernetesCluster } from '@springtide/adapters/kubernetes/cluster';
import { LEASE_NAMESPACE, QUEUE_CONTROLLER } from '@springtide/adapters/kubernetes/install';
import { ClusterQueueing } from '@springtide/adapters/kubernetes/queueing';
import { plain, type Route } from '@springtide/adapters/http';
import { ADMISSION_DEFAULTS, type AdmissionOptions } from '@springtide/core/admission';
import { mulberry32 } from '@springtide/core/base';
import { QueueService } from '@springtide/services/queue';
import type { Language } from '@springtide/wire/messages';
import { addLiveOptions, type LiveOptions, serviceConnection, untilStopped } from '../../service/index.ts';
import { answer, BadInput, EXIT, type ExitCode, languageOf } from '../../terminal/index.ts';
import { addProcessMetrics } from '../scheduler/client-metrics.ts';
import { type ObservationOptions, observe } from '../scheduler/observation.ts';

interface QueueControllerOptions extends LiveOptions, ObservationOptions {
  readonly leaseNamespace: string;
  readonly gateOnly?: boolean;
  readonly readySeconds?: string;
  readonly quantumSeconds?: string;
  readonly lang?: string;
}

export function define(command: Command): void {
  addLiveOptions(command)
    .option('--gate-only', 'decide by quota alone: whichever scheduler is there places the pods')
    .option('--ready-seconds <count>', 'how long the pods of a job may take to be ready (default: 600)')
    .option('--quantum-seconds <count>', 'how long a job runs before others may take its place (default: 600)')
    .option('--lease-namespace <namespace>', 'where the lease of the leader is kept', LEASE_NAMESPACE)
    .option('--listen <host:port>', 'where /healthz, /readyz and /metrics are served', '127.0.0.1:10272')
    .option('--tls-cert <file>', 'certificate to serve them with, PEM (default: plain HTTP)')
    .option('--tls-key <file>', 'its key, PEM')
    .option('--lang <language>', 'of the messages in statuses: en or zh (default: from the locale)')
    .action((options: QueueControllerOptions) => answer(() => run(options)));
}

/** Runs until it is told to stop. */
async function run(options: QueueControllerOptions): Promise<ExitCode> {
  const config = serviceConnection(options);
  const service = queueServiceOn(config, options.leaseNamespace, admissionAsked(options), languageOf(options.lang));
  addProcessMetrics(service.metrics.registry);
  const observation = await observe(pagesOf(service), options, { config, clock: systemClock });
  service.start();
  await untilStopped((stopped) => stopped);
  await service.stop();
  await observation.stop();
  return EXIT.done;
}

const SECONDS_MAX = 30 * 86_400;

function admissionAsked({ gateOnly, readySeconds, quantumSeconds }: QueueControllerOptions): AdmissionOptions {
  return {
    ...ADMISSION_DEFAULTS,
    placesPods: gateOnly !== true,
    ...(readySeconds === undefined ? {} : { readyMs: millisecondsOf('--ready-seconds', readySeconds) }),
    ...(quantumSeconds === undefined ? {} : { quantumMs: millisecondsOf('--quantum-seconds', quantumSeconds) }),
  };
}

function millisecondsOf(option: string, text: string): number {
  const seconds = /^\d{1,7}$/.test(text) ? Number(text) : Infinity;
  if (seconds <= SECONDS_MAX) return seconds * 1000;
  throw new BadInput(`${option} ${text}: expected a whole number from 0 to ${SECONDS_MAX}`);
}

/** The queue service on a Kubernetes API server. */
function queueServiceOn(
  config: ConnectionConfig,
  leaseNamespace: string,
  admission: AdmissionOptions,
  language: Language,
): QueueService {
  const random = mulberry32(randomBytes(4).readUInt32LE());
  const cluster = new KubernetesCluster({
    config,
    clock: systemClock,
    random,
    controller: 'springtide.io/queue-controller',
    // It places nothing itself.
    schedulerName: '',
    holder: `${hostname()}-${randomBytes(6).toString('hex')}`,
    lease: { namespace: leaseNamespace, name: QUEUE_CONTROLLER },
    watched: ['machines', 'pods', 'namespaces', 'priority-classes'],
  });
  const queueing = new ClusterQueueing({ client: cluster.client, clock: systemClock, random });
  return new QueueService({ cluster, queueing, clock: systemClock, language, admission });
}

/** The loop passes every second: one that has not for so long hangs. */
const IDLE_MS_MAX = 60_000;

function pagesOf(service: QueueService): Route[] {
  const page = (isWell: boolean, lines: readonly string[]): ReturnType<typeof plain> =>
    plain(isWell ? 200 : 503, [...lines, isWell ? 'ok' : 'failed'].join('\n'));
  return [
    { path: '/metrics', isOpen: false, page: async () => ({ status: 200, ...(await service.page()) }) },
    {
      path: '/healthz',
      isOpen: true,
      page: () => page(service.idleMs <= IDLE_MS_MAX, [`loop: last pass ${Math.round(service.idleMs / 1000)} s ago`]),
    },
    {
      path: '/readyz',
      isOpen: true,
      page: () => {
        const missing = service.missing();
        return page(
          missing.length === 0,
          missing.map((what) => `[-]${what}: not listed yet`),
        );
      },
    },
  ];
}
