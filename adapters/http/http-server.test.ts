import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { HttpServer, type HttpServerOptions, plain, type Route } from './index.ts';

const servers: HttpServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const route = (path: string, isOpen: boolean, page: Route['page'] = () => plain(200, path)): Route => ({
  path,
  isOpen,
  page,
});

async function serve(options: Partial<HttpServerOptions> = {}): Promise<number> {
  const routes = [route('/open', true), route('/closed', false)];
  const judge: HttpServerOptions['judge'] = async (token) =>
    token === 'good'
      ? 'allowed'
      : token === 'weak'
        ? 'forbidden'
        : token === 'lost'
          ? 'unavailable'
          : 'unauthenticated';
  const server = new HttpServer({ routes, judge, tls: null, ...options });
  servers.push(server);
  const port = await server.listen('127.0.0.1', 0);
  if (!port.ok) throw new Error(port.error);
  return port.value;
}

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function get(port: number, path: string, authorization = '', method = 'GET'): Promise<Got> {
  const headers = authorization === '' ? {} : { authorization };
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.once('error', reject);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    asked.once('error', reject);
    asked.end();
  });
}

describe('pages over HTTP', () => {
  test('one that is open needs no token; a query changes nothing', async () => {
    const port = await serve();
    expect(await get(port, '/open?verbose')).toMatchObject({ status: 200, body: '/open\n' });
    expect((await get(port, '/open', '', 'HEAD')).body).toBe('');
  });

  test.each([
    ['', 401],
    ['Basic good', 401],
    ['Bearer', 401],
    ['Bearer  ', 401],
    ['Bearer wrong', 401],
    ['Bearer weak', 403],
    ['Bearer lost', 503],
    ['Bearer good', 200],
    ['bearer good', 200],
  ])('one that is closed is given to who may: %s is answered %i', async (authorization, status) => {
    const got = await get(await serve(), '/closed', authorization);
    expect(got.status).toBe(status);
    expect(got.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
    expect(got.body === '/closed\n').toBe(status === 200);
  });

  test('other methods, other paths and pages that fail are answers too, and the server lives on', async () => {
    const port = await serve({
      routes: [
        route('/open', true),
        route('/bad', true, () => {
          throw new Error('no page');
        }),
      ],
    });
    expect((await get(port, '/open', '', 'POST')).status).toBe(405);
    expect(await get(port, '/')).toMatchObject({ status: 404, body: 'there are /open, /bad\n' });
    expect(await get(port, '/bad')).toMatchObject({ status: 500, body: 'Error: no page\n' });
    expect((await get(port, '/open')).status).toBe(200);
  });

  test('a body in pieces arrives whole, and one that breaks ends the connection', async () => {
    async function* pieces(fails: boolean): AsyncIterable<Uint8Array> {
      yield Buffer.from('one ');
      if (fails) throw new Error('broken');
      yield Buffer.from('two');
    }
    const page = (fails: boolean) => () => ({ status: 200, contentType: 'text/plain', body: pieces(fails) });
    const port = await serve({ routes: [route('/well', true, page(false)), route('/ill', true, page(true))] });
    expect((await get(port, '/well')).body).toBe('one two');
    await expect(get(port, '/ill')).rejects.toThrow('aborted');
    expect((await get(port, '/well')).status).toBe(200);
  });

  test('what is posted to an inlet is answered; too much is refused, and its rest not waited for', async () => {
    const answer = async (body: Buffer) => plain(200, `${body.length}`);
    const port = await serve({ inlets: [{ path: '/in', bytesMax: 1000, answer }] });
    const post = (path: string, bytes: number) =>
      fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: 'x'.repeat(bytes) });
    expect(await (await post('/in', 1000)).text()).toBe('1000\n');
    expect((await post('/in', 1001)).status).toBe(413);
    expect((await post('/in', 3_000_000)).status).toBe(413);
    expect((await post('/open', 1)).status).toBe(405);
    expect((await get(port, '/in')).status).toBe(404);
    expect((await post('/in', 3)).status).toBe(200);
  });

  test('an inlet gets the bearer token that came with the body', async () => {
    const port = await serve({
      inlets: [{ path: '/in', bytesMax: 9, answer: async (body, token) => plain(200, `${body.length} ${token}`) }],
    });
    const post = async (headers: Record<string, string>): Promise<string> =>
      (await fetch(`http://127.0.0.1:${port}/in`, { method: 'POST', body: 'x', headers })).text();
    expect(await post({ authorization: 'Bearer t' })).toBe('1 t\n');
    expect(await post({})).toBe('1 \n');
  });

  test('a request under way is answered before it closes, where there is time for it', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const server = new HttpServer({
      routes: [
        route('/slow', true, async () => {
          asked.resolve();
          await answer.promise;
          return plain(200, 'late');
        }),
      ],
      judge: async () => 'allowed',
      tls: null,
    });
    const port = await server.listen('127.0.0.1', 0);
    if (!port.ok) throw new Error(port.error);
    const got = get(port.value, '/slow');
    await asked.promise;
    const closed = server.close(60_000);
    answer.resolve();
    expect((await got).body).toBe('late\n');
    await closed;
    await expect(get(port.value, '/slow')).rejects.toThrow('ECONNREFUSED');
  });

  test('a port that is taken is a value', async () => {
    const port = await serve();
    const second = new HttpServer({ routes: [], judge: async () => 'allowed', tls: null });
    expect(await second.listen('127.0.0.1', port)).toMatchObject({ ok: false });
  });
});
