import { describe, expect, test } from 'vitest';
import { apiServerFlags, controllerManagerFlags, schedulerConfiguration, schedulerFlags } from './flags.ts';
import { layoutOf } from './layout.ts';

const layout = layoutOf('/bed', [1, 2, 3, 4]);

describe('the flags of the API server', () => {
  test('are those of a cluster in production: certificates, RBAC, accounts, audit', () => {
    const flags = apiServerFlags(layout, {});
    expect(flags).toContain('--authorization-mode=Node,RBAC');
    expect(flags).toContain('--client-ca-file=/bed/ca.crt');
    expect(flags).toContain('--service-account-signing-key-file=/bed/service-accounts.key');
    expect(flags).toContain('--audit-log-path=/bed/audit.jsonl');
    expect(flags.filter((flag) => flag.startsWith('--bind-address'))).toEqual(['--bind-address=127.0.0.1']);
  });

  test('carry gates, API versions and whatever else is asked for, ours first', () => {
    const flags = apiServerFlags(layout, {
      featureGates: { GenericWorkload: true, Other: false },
      runtimeConfig: { 'scheduling.k8s.io/v1beta1': true },
      flags: { apiServer: ['--event-ttl=1m'] },
    });
    expect(flags.slice(-3)).toEqual([
      '--feature-gates=GenericWorkload=true,Other=false',
      '--runtime-config=scheduling.k8s.io/v1beta1=true',
      '--event-ttl=1m',
    ]);
  });

  test('leave the audit log out when none is wanted', () => {
    expect(apiServerFlags(layout, { auditLevel: 'None' }).join()).not.toContain('audit');
  });
});

test('controllers can be left out', () => {
  const flags = controllerManagerFlags(layout, { controllers: ['*', '-garbage-collector-controller'] });
  expect(flags).toContain('--controllers=*,-garbage-collector-controller');
});

describe('kube-scheduler', () => {
  test('is not held back by its own rate limit, unless that is wanted', () => {
    expect(schedulerConfiguration(layout, {})).toMatchObject({ clientConnection: { qps: 5_000, burst: 10_000 } });
    expect(schedulerConfiguration(layout, { qps: 50, burst: 100 })).toMatchObject({
      clientConnection: { qps: 50, burst: 100 },
    });
  });

  test('takes the pods of its name, with the profile it is given', () => {
    const profile = { percentageOfNodesToScore: 100 };
    expect(schedulerConfiguration(layout, { name: 'mine', profile })).toMatchObject({
      profiles: [{ schedulerName: 'mine', percentageOfNodesToScore: 100 }],
    });
  });

  test('has gates of its own', () => {
    const files = { configFile: '/bed/s.json', port: 5 };
    expect(schedulerFlags(layout, { featureGates: { GenericWorkload: true } }, files).at(-1)).toBe(
      '--feature-gates=GenericWorkload=true',
    );
  });
});
