import { expect, test } from 'vitest';
import { freePorts } from './ports.ts';

test('free ports are different, and below those of outgoing connections', async () => {
  const ports = await freePorts(50);
  expect(new Set(ports).size).toBe(50);
  expect(ports.every((port) => port >= 20_000 && port < 32_000)).toBe(true);
});
