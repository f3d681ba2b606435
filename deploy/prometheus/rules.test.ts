import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SchedulerMetrics } from '@springtide/services/scheduler';
import { WebhookMetrics } from '@springtide/services/webhook';
import { promtool } from '@springtide/testkit/promtool';
import { beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { dashboard } from '../generate/dashboard.ts';

const FILE = join(import.meta.dirname, 'rules.yaml');
const { groups } = parse(readFileSync(FILE, 'utf8'));
const rules: any[] = groups.flatMap((group: any) => group.rules);
const shown: any[] = (dashboard() as any).panels.flatMap((panel: any) => panel.targets ?? []);

/** Each metric of ours with its labels, as scheduler and webhook register them. */
const metrics = new Map<string, readonly string[]>();
for (const { registry } of [new SchedulerMetrics(), new WebhookMetrics()]) {
  for (const metric of registry.getMetricsAsArray() as any[]) {
    const labels: string[] = [...metric.labelNames];
    metrics.set(metric.name, labels);
    if (metric.type !== 'histogram') continue;
    metrics.set(`${metric.name}_bucket`, [...labels, 'le']);
  }
}
/** Of the process, and what Prometheus adds when it reads. */
const OTHERS = ['process_cpu_seconds_total', 'process_resident_memory_bytes'];
const ADDED = ['instance', 'job', 'namespace', 'pod'];

describe.each([
  ['the alerts', rules.map(({ alert, expr }) => [alert, expr] as const)],
  ['the dashboard', shown.map(({ expr }) => [expr, expr] as const)],
])('%s', (_, exprs) => {
  test.each(exprs)('ask for metrics and labels that there are: %s', (name, expr: string) => {
    const used = expr.match(/\b(springtide|process)_\w+/g) ?? [];
    expect(used, name).not.toEqual([]);
    for (const metric of used) expect([...metrics.keys(), ...OTHERS]).toContain(metric);
    const known = [...used.flatMap((metric) => metrics.get(metric) ?? []), ...ADDED];
    const chosen = expr.matchAll(/\{([^}]*)\}/g).flatMap(([, all = '']) => all.match(/\w+(?=[=!]~?"|~")/g) ?? []);
    const kept = expr.matchAll(/\b(?:by|on) ?\(([^)]*)\)/g).flatMap(([, all = '']) => all.split(/, */));
    for (const label of [...chosen, ...kept]) expect([expr, known]).toEqual([expr, expect.arrayContaining([label])]);
  });
});

describe('the alerts', () => {
  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s says what is wrong and what to do, in both languages',
    (_, rule) => {
      const { summary, description, summary_zh: summaryZh, description_zh: descriptionZh } = rule.annotations;
      for (const text of [summary, description]) expect(text).toMatch(/^[^\p{Script=Han}]+$/u);
      for (const text of [summaryZh, descriptionZh]) expect(text).toMatch(/\p{Script=Han}/u);
      expect(['critical', 'warning']).toContain(rule.labels.severity);
    },
  );
});

describe("in the eyes of Prometheus' own checker", () => {
  beforeEach(({ skip }) => {
    if (promtool(['--version']) === null) skip('promtool is not installed: apt-get install prometheus');
  });

  test('the rules are sound', () => {
    expect(promtool(['check', 'rules', '--lint-fatal', FILE])).toEqual({
      status: 0,
      told: expect.stringContaining(`${rules.length} rules found`),
    });
  });

  test('each alert fires when it should, and none when all is well', () => {
    const told = promtool(['test', 'rules', join(import.meta.dirname, 'rules.test.yaml')]);
    expect(told).toEqual({ status: 0, told: expect.stringContaining('SUCCESS') });
    const tried = readFileSync(join(import.meta.dirname, 'rules.test.yaml'), 'utf8');
    for (const { alert } of rules) expect(tried).toMatch(new RegExp(`alertname="${alert}"`));
  });

  test.each([
    ['scheduler', new SchedulerMetrics().registry],
    ['webhook', new WebhookMetrics().registry],
  ])('the metrics of the %s are named as they should be', async (_, registry) => {
    expect(promtool(['check', 'metrics'], await registry.metrics())).toEqual({ status: 0, told: '' });
  });
});
