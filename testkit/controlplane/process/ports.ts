import { createServer, type Server } from 'node:net';
import { once } from 'node:events';

/**
 * Below the ports that outgoing connections get. A server that is stopped and started again has to find its port
 * free, and a client that knocks meanwhile must not be connected to itself, which happens when the port it calls is
 * one it may call from.
 */
const lowest = 20_000;
const count = 12_000;

/** Ports of 127.0.0.1 where nobody listens now. */
export async function freePorts(wanted: number): Promise<number[]> {
  const servers: Server[] = [];
  const ports: number[] = [];
  try {
    while (ports.length < wanted) {
      const port = lowest + Math.floor(Math.random() * count);
      const server = await listenOn(port);
      if (server === null) continue;
      servers.push(server);
      ports.push(port);
    }
  } finally {
    await Promise.all(servers.map(close));
  }
  return ports;
}

async function listenOn(port: number): Promise<Server | null> {
  const server = createServer();
  try {
    server.listen({ host: '127.0.0.1', port, exclusive: true });
    await once(server, 'listening');
    return server;
  } catch {
    return null;
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
