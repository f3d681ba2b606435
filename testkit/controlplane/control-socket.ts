import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { Controls } from './controls.ts';

const names = [
  'restartApiServer',
  'stopEtcdFor',
  'startKubeScheduler',
  'stopPart',
  'usage',
  'issueClient',
] as const satisfies readonly (keyof Controls)[];

type Name = (typeof names)[number];

/** Lets other processes of this machine use the controls, through a socket in the folder of the control plane. */
export async function serveControls(controls: Controls, socket: string): Promise<Server> {
  const server = createServer((asked, answer) => {
    const finish = (status: number, body: unknown): void => {
      answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? null));
    };
    perform(controls, asked).then(
      (result) => finish(200, result),
      (error: unknown) => finish(500, { message: error instanceof Error ? error.message : String(error) }),
    );
  });
  // A test may take long, and stop etcd for as long as it likes.
  server.requestTimeout = 0;
  server.listen(socket);
  await once(server, 'listening');
  server.unref();
  return server;
}

async function perform(controls: Controls, asked: IncomingMessage): Promise<unknown> {
  const name = names.find((each) => asked.url === `/${each}`);
  if (name === undefined) throw new Error(`there is no control ${asked.url}`);
  const argument: unknown = JSON.parse(await textOf(asked));
  return (controls[name] as (argument: unknown) => Promise<unknown>)(argument);
}

/** The controls of a control plane that another process has started. */
export function remoteControls(socket: string): Controls {
  const call = (name: Name, argument: unknown = null): Promise<never> => ask(socket, name, argument) as Promise<never>;
  return {
    restartApiServer: (options) => call('restartApiServer', options),
    stopEtcdFor: (ms) => call('stopEtcdFor', ms),
    startKubeScheduler: (options) => call('startKubeScheduler', options),
    stopPart: (part) => call('stopPart', part),
    usage: () => call('usage'),
    issueClient: (subject) => call('issueClient', subject),
  };
}

async function ask(socket: string, name: Name, argument: unknown): Promise<unknown> {
  const asked = request({ socketPath: socket, path: `/${name}`, method: 'POST' });
  asked.end(JSON.stringify(argument));
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const body = JSON.parse(await textOf(answer)) as { readonly message?: string } | null;
  if (answer.statusCode !== 200) throw new Error(body?.message ?? `${name}: ${answer.statusCode}`);
  return body;
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
