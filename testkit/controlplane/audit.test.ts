import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { auditPolicy, isDenied, readAudit } from './audit.ts';

test('an audit log is read line by line, up to the one that is being written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  const file = join(folder, 'audit.jsonl');
  writeFileSync(file, '{"verb":"get"}\n{"verb":"list"}\n{"verb":"wat');
  const verbs = await Array.fromAsync(readAudit(file), (event) => event.verb);
  expect(verbs).toEqual(['get', 'list']);
  rmSync(folder, { recursive: true });
});

test('a policy has one level for everything', () => {
  expect(auditPolicy('Request')).toMatchObject({ rules: [{ level: 'Request' }] });
});

test('what RBAC forbade is denied', () => {
  const event = { verb: 'get', annotations: { 'authorization.k8s.io/decision': 'forbid' } };
  expect(isDenied(event as never)).toBe(true);
  expect(isDenied({ verb: 'get' } as never)).toBe(false);
});
