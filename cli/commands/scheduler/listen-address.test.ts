import { expect, test } from 'vitest';
import { BadInput } from '../../terminal/index.ts';
import { listenAddress } from './listen-address.ts';

test.each([
  ['127.0.0.1:10270', { host: '127.0.0.1', port: 10_270 }],
  ['0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
  ['[::1]:80', { host: '::1', port: 80 }],
  ['localhost:65535', { host: 'localhost', port: 65_535 }],
])('%s is an address', (text, want) => {
  expect(listenAddress(text)).toEqual(want);
});

test.each(['', ':80', 'localhost', 'localhost:', 'localhost:x', 'localhost:65536', '::1:80', '1.2.3.4:-1', 'a b:80'])(
  '"%s" is none, and that is told',
  (text) => {
    expect(() => listenAddress(text)).toThrow(BadInput);
  },
);
