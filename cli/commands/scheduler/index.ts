import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Command } from 'commander';
import { systemClock } from '@springtide/adapters/clock';
import { type ConnectionConfig } from '@springtide/adapters/kubernetes/client';
import { KubernetesCluster } from '@springtide/adapters/kubernetes/cluster';
import { LEASE_NAMESPACE, leaseNameOf, SCHEDULER_NAME } from '@springtide/adapters/kubernetes/install';
import { mulberry32 } from '@springtide/core/base';
import { SchedulerService } from '@springtide/services/scheduler';
import { addLiveOptions, type LiveOptions, serviceConnection, untilStopped } from '../../service/index.ts';
import { answer, EXIT, type ExitCode } from '../../terminal/index.ts';
import { addClientMetrics } from './client-metrics.ts';
import { type ObservationOptions, observe } from './observation.ts';
import { pagesOf } from './pages.ts';

interface SchedulerOptions extends LiveOptions, ObservationOptions {
  readonly name: string;
  readonly leaseNamespace: string;
  readonly rackLabel?: string | undefined;
}

const CONTROLLER = 'springtide.io/scheduler';

export function define(command: Command): void {
  addLiveOptions(command)
    .option('--name <name>', 'place pods that name this in spec.schedulerName', SCHEDULER_NAME)
    .option('--lease-namespace <namespace>', 'where the lease of the leader is kept', LEASE_NAMESPACE)
    .option('--rack-label <key>', 'node label that tells the rack')
    .option('--listen <host:port>', 'where /healthz, /readyz and /metrics are served', '127.0.0.1:10270')
    .option('--tls-cert <file>', 'certificate to serve them with, PEM (default: plain HTTP)')
    .option('--tls-key <file>', 'its key, PEM')
    .action((options: SchedulerOptions) => answer(() => run(options)));
}

/** Runs until it is told to stop. */
async function run(options: SchedulerOptions): Promise<ExitCode> {
  const config = serviceConnection(options);
  const service = schedulerOn(config, options);
  const observation = await observe(pagesOf(service, systemClock), options, {
    config,
    clock: systemClock,
  });
  service.start();
  await untilStopped((stopped) => stopped);
  await service.stop();
  await observation.stop();
  return EXIT.done;
}

/** The scheduler service on a Kubernetes API server. */
export function schedulerOn(
  config: ConnectionConfig,
  { name, leaseNamespace, rackLabel }: Pick<SchedulerOptions, 'name' | 'leaseNamespace' | 'rackLabel'>,
): SchedulerService {
  const cluster = new KubernetesCluster({
    config,
    clock: systemClock,
    random: mulberry32(randomBytes(4).readUInt32LE()),
    controller: CONTROLLER,
    schedulerName: name,
    holder: `${hostname()}-${randomBytes(6).toString('hex')}`,
    lease: { namespace: leaseNamespace, name: leaseNameOf(name) },
    ...(rackLabel === undefined ? {} : { fleet: { rackLabels: [rackLabel] } }),
  });
  const service = new SchedulerService({ cluster, clock: systemClock, schedulerName: name });
  addClientMetrics(service.metrics.registry, cluster);
  return service;
}
