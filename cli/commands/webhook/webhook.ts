import { randomBytes } from 'node:crypto';
import { systemClock } from '@springtide/adapters/clock';
import { WatchedCatalogue } from '@springtide/adapters/kubernetes/admission';
import { CertificateKeeper } from '@springtide/adapters/kubernetes/certificates';
import { ApiClient, type ConnectionConfig, Reviews, Transport } from '@springtide/adapters/kubernetes/client';
import { WEBHOOK, WEBHOOK_SECRET, webhookHost } from '@springtide/adapters/kubernetes/install';
import { mulberry32 } from '@springtide/core/base';
import { WebhookMetrics } from '@springtide/services/webhook';
import { addProcessMetrics } from '../scheduler/client-metrics.ts';
import { listenAddress } from '../scheduler/listen-address.ts';
import { judged } from '../scheduler/pages.ts';
import type { Certificates } from './certificates.ts';
import { inletsOf, pagesOf } from './pages.ts';
import { admissionRoutes } from './routes.ts';
import { startScaleIn } from './scale-in.ts';
import { TlsEntry } from './tls-entry.ts';

export interface WebhookSettings {
  readonly config: ConnectionConfig;
  readonly schedulerName: string;
  /** Where it is installed: its Secret and its Service are there. */
  readonly namespace: string;
  /** `HOST:PORT`. */
  readonly listen: string;
  readonly certificates: Certificates;
  /** How often the certificate is looked at. */
  readonly checkMs?: number;
}

export interface Webhook {
  /** The port, once it listens, which it does when it has a certificate. Rejects with `BadInput` where it cannot. */
  readonly listening: Promise<number>;
  readonly stop: () => Promise<void>;
}

/** To the API server. */
const CONNECTIONS_MAX = 32;

/** The webhook on a Kubernetes API server. Throws `BadInput` for an address that is none. */
export function startWebhook(settings: WebhookSettings): Webhook {
  const { config, namespace, schedulerName, certificates, checkMs } = settings;
  const address = listenAddress(settings.listen);
  const clock = systemClock;
  const transport = new Transport(config, clock, CONNECTIONS_MAX);
  const client = new ApiClient(transport, clock);
  const catalogue = new WatchedCatalogue({ client, clock, random: mulberry32(randomBytes(4).readUInt32LE()) });
  const metrics = new WebhookMetrics();
  const scaleIn = startScaleIn(client, clock, metrics);
  addProcessMetrics(metrics.registry);
  const reviews = new Reviews(client, clock);
  const entry = new TlsEntry(address, {
    routes: pagesOf(metrics, () => [...catalogue.missing(), ...scaleIn.missing()]),
    inlets: inletsOf([...admissionRoutes({ catalogue, schedulerName }), scaleIn.route], metrics, clock),
    judge: (token, path) => judged(reviews, token, path),
  });
  const keeper = new CertificateKeeper({
    client,
    clock,
    secret: { namespace, name: WEBHOOK_SECRET },
    configuration: WEBHOOK,
    // An address of its own is one by which it may be called.
    hosts: [webhookHost(namespace), ...(WILDCARDS.has(address.host) ? [] : [address.host])],
    isOwn: certificates === 'own',
    serve: (served) => {
      metrics.servesUntil(served.expiresAtMs);
      entry.serve(served);
    },
    complain: (why) => void process.stderr.write(`springtide: ${why}\n`),
    ...(checkMs === undefined ? {} : { checkMs }),
  });
  catalogue.start();
  void keeper.start();
  const stop = async (): Promise<void> => {
    keeper.stop();
    await entry.close();
    const stopped = Promise.all([catalogue.stop(), scaleIn.stop()]);
    await transport.close();
    await stopped;
  };
  return { listening: entry.listening, stop };
}

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
