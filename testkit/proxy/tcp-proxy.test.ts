import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { TcpProxy } from './index.ts';

/** A proxy before a server that says everything back, and somebody who speaks through it. */
async function line(): Promise<{ proxy: TcpProxy; speak: () => Promise<Socket> }> {
  const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const proxy = await TcpProxy.to((echo.address() as AddressInfo).port);
  onTestFinished(async () => {
    await proxy.close();
    echo.close();
  });
  const speak = async (): Promise<Socket> => {
    const socket = connect(proxy.port, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  return { proxy, speak };
}

async function echoes(socket: Socket, word: string): Promise<boolean> {
  const heard = once(socket, 'data', { signal: AbortSignal.timeout(300) });
  socket.write(word);
  return heard.then(
    ([bytes]) => String(bytes) === word,
    () => false,
  );
}

test('passes on what is said, until it is cut, and again when it is mended', async () => {
  const { proxy, speak } = await line();
  const before = await speak();
  expect(await echoes(before, 'a')).toBe(true);
  proxy.cut();
  expect(await echoes(before, 'b')).toBe(false);
  expect(await echoes(await speak(), 'c')).toBe(false);
  const closed = new Promise((resolve) => before.once('close', resolve));
  proxy.mend();
  await closed;
  expect(await echoes(await speak(), 'd')).toBe(true);
});

test('silences the connections that are open, and no new one', async () => {
  const { proxy, speak } = await line();
  const before = await speak();
  expect(await echoes(before, 'a')).toBe(true);
  proxy.silence();
  expect(await echoes(before, 'b')).toBe(false);
  expect(await echoes(await speak(), 'c')).toBe(true);
});
