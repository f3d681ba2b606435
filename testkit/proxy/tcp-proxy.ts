import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** A network between two programs of this machine that can be cut, silenced and mended. It sees bytes, not TLS. */
export class TcpProxy {
  readonly #server: Server;
  readonly #target: number;
  readonly #pairs = new Set<Pair>();
  #isCut = false;

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.#target = target;
    server.on('connection', (client) => this.#join(client));
  }

  /** Listens on a port of its own and passes on to `target`, both on 127.0.0.1. */
  static async to(target: number): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server, target);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** What is said is lost from now on, and nobody is told: a partition. New connections get no answer either. */
  cut(): void {
    this.#isCut = true;
    this.silence();
  }

  /** Connections that are open bring nothing more; new ones work: a path that has died, and another that lives. */
  silence(): void {
    for (const { client, server } of this.#pairs) {
      client.removeAllListeners('data').pause();
      server.removeAllListeners('data').pause();
    }
  }

  /** Breaks every connection, as a proxy that is restarted does. */
  breakAll(): void {
    for (const { client, server } of this.#pairs) {
      client.resetAndDestroy();
      server.destroy();
    }
  }

  /** The partition is over: what was held is dropped with its connections, and new ones work. */
  mend(): void {
    this.#isCut = false;
    this.breakAll();
  }

  async close(): Promise<void> {
    this.breakAll();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1');
    const pair = { client, server };
    this.#pairs.add(pair);
    const end = (): void => {
      this.#pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', () => {}).on('close', end);
    if (this.#isCut) return void client.pause();
    client.on('data', (bytes: Buffer) => server.write(bytes));
    server.on('data', (bytes: Buffer) => client.write(bytes));
  }
}
