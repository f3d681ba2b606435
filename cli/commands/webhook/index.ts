import { systemClock } from '@springtide/adapters/clock';
import { HttpServer } from '@springtide/adapters/http';
import { ApiClient, readConnection, Reviews, Transport } from '@springtide/adapters/kubernetes/client';
import { WebhookMetrics } from '@springtide/services/webhook';
import type { Command } from 'commander';
import { answer, BadInput, EXIT, type ExitCode } from '../../terminal/index.ts';
import { listenAddress } from '../scheduler/listen-address.ts';
import { tlsOf } from '../scheduler/observation.ts';
import { judged } from '../scheduler/pages.ts';
import { inletsOf, pagesOf } from './pages.ts';
import { admissionRoutes } from './routes.ts';

interface WebhookOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly listen: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** Beyond it a request is not accepted: as many as three API servers send at once. */
const CONNECTIONS_MAX = 1024;
/** To the API server. */
const CLIENT_CONNECTIONS_MAX = 16;

export function define(command: Command): void {
  command
    .option('--kubeconfig <file>', 'kubeconfig (default: KUBECONFIG, the one in the home folder, or the pod itself)')
    .option('--context <name>', 'context of the kubeconfig (default: the current one)')
    .option('--listen <host:port>', 'where the API server reaches it, and /healthz, /readyz and /metrics', '127.0.0.1:10271')
    .option('--tls-cert <file>', 'certificate to serve them with, PEM')
    .option('--tls-key <file>', 'its key, PEM')
    .action((options: WebhookOptions) => answer(() => run(options)));
}

/** Runs until it is told to stop. */
async function run(options: WebhookOptions): Promise<ExitCode> {
  const { kubeconfig, context } = options;
  const config = readConnection({
    ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  if (!config.ok) throw new BadInput(config.error.message);
  const { host, port } = listenAddress(options.listen);
  const transport = new Transport(config.value, systemClock, CLIENT_CONNECTIONS_MAX);
  const reviews = new Reviews(new ApiClient(transport, systemClock), systemClock);
  const metrics = new WebhookMetrics();
  const server = new HttpServer({
    routes: pagesOf(metrics, () => []),
    inlets: inletsOf(admissionRoutes(), metrics, systemClock),
    judge: (token, path) => judged(reviews, token, path),
    tls: tlsOf(options),
    connectionsMax: CONNECTIONS_MAX,
  });
  const listening = await server.listen(host, port);
  if (!listening.ok) throw new BadInput(`--listen ${options.listen}: ${listening.error}`);
  const stopped = Promise.withResolvers<void>();
  process.once('SIGINT', stopped.resolve);
  process.once('SIGTERM', stopped.resolve);
  await stopped.promise;
  await server.close();
  await transport.close();
  return EXIT.done;
}
