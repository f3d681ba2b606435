import { HttpServer, type Route } from '@springtide/adapters/http';
import { ApiClient, type ConnectionConfig, Reviews, Transport } from '@springtide/adapters/kubernetes/client';
import type { Clock } from '@springtide/ports/clock';
import { BadInput } from '../../terminal/index.ts';
import { listenAddress } from './listen-address.ts';
import { judged } from './pages.ts';
import { type TlsOptions, tlsPairOf } from './tls-pair.ts';

export interface ObservationOptions extends TlsOptions {
  /** `HOST:PORT`. */
  readonly listen: string;
}

export interface Observation {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/** Connections for questions about who asks; the scheduler's own are not used for them. */
const CONNECTIONS_MAX = 4;

/** Opens the HTTP server beside a service. Throws `BadInput` where it cannot listen. */
export async function observe(
  routes: readonly Route[],
  options: ObservationOptions,
  { config, clock }: { readonly config: ConnectionConfig; readonly clock: Clock },
): Promise<Observation> {
  const { host, port } = listenAddress(options.listen);
  const tls = tlsPairOf(options);
  const transport = new Transport(config, clock, CONNECTIONS_MAX);
  const reviews = new Reviews(new ApiClient(transport, clock), clock);
  const server = new HttpServer({ routes, judge: (token, path) => judged(reviews, token, path), tls });
  const listening = await server.listen(host, port);
  if (!listening.ok) {
    await transport.close();
    throw new BadInput(`--listen ${options.listen}: ${listening.error}`);
  }
  const stop = async (): Promise<void> => {
    await server.close();
    await transport.close();
  };
  return { port: listening.value, stop };
}
