import { aMachine, aPod, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { Book, fillBook } from '@springtide/core/state';
import { describe, expect, test } from 'vitest';
import { type Facts, SchedulerMetrics, worldFacts } from './index.ts';
import type { ClusterPod } from '@springtide/ports/cluster';

const NAME = /^springtide_[a-z_]+$/;
const SAMPLE = /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$/;

/** Every sample of a text, by name and labels; throws at the first line that is not in Prometheus' text format. */
function samplesOf(text: string): Map<string, number> {
  expect(text.endsWith('\n')).toBe(true);
  const types = new Map<string, string>();
  const samples = new Map<string, number>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    if (line.startsWith('# HELP ')) continue;
    const [, type, name = '', kind = ''] = line.split(' ');
    if (type === 'TYPE') {
      expect(types.has(name), `${name} is told once`).toBe(false);
      types.set(name, kind);
      continue;
    }
    const [, metric = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    expect(metric, line).toMatch(NAME);
    const family = metric.replace(/_(bucket|sum|count)$/, '');
    const kindOf = types.get(metric) ?? types.get(family);
    expect(kindOf, line).toBeDefined();
    expect(metric.endsWith('_total'), line).toBe(kindOf === 'counter');
    expect(Number.isNaN(Number(value)), line).toBe(false);
    expect(samples.has(`${metric}{${labels}}`), `${line} is told once`).toBe(false);
    samples.set(`${metric}{${labels}}`, Number(value));
  }
  return samples;
}

function facts(part: Partial<Facts> = {}): Facts {
  const world = worldFacts({ pods: [], book: null, told: new Map(), schedulerName: 'springtide' });
  return { ...world, inFlight: 0, isLeading: false, watches: [], loopIdleMs: 0, ...part };
}

describe('O7: metrics', () => {
  test('are in the text format, and count what happened', async () => {
    const metrics = new SchedulerMetrics();
    metrics.stepped(4, 3, 8);
    metrics.bindAnswered('bound', 5);
    metrics.bindAnswered('conflict', 7);
    metrics.bound(-300);
    metrics.evictAnswered('preempted', 'evicted');
    metrics.reportAnswered('written');
    metrics.tookEvents(10);
    const watch = {
      source: 'pods',
      watched: 'pods',
      isSynced: true,
      disconnectedSinceMs: 5,
      heardAtMs: 4000,
      why: 'x',
    };
    const samples = samplesOf(await metrics.text(facts({ watches: [watch as Facts['watches'][number]] }), 9000));
    expect(samples.get('springtide_scheduling_attempts_total{result="placed"}')).toBe(3);
    expect(samples.get('springtide_scheduling_attempts_total{result="refused"}')).toBe(1);
    expect(samples.get('springtide_scheduling_attempt_duration_seconds_sum{}')).toBe(0.002);
    expect(samples.get('springtide_binds_total{answer="conflict"}')).toBe(1);
    expect(samples.get('springtide_pod_scheduling_duration_seconds_bucket{le="0.1"}')).toBe(1);
    expect(samples.get('springtide_evictions_total{reason="preempted",answer="evicted"}')).toBe(1);
    expect(samples.get('springtide_watch_connected{source="pods"}')).toBe(0);
    expect(samples.get('springtide_watch_silence_seconds{source="pods"}')).toBe(5);
    expect(samples.get('springtide_leading{}')).toBe(0);
  });

  test('what is gone is told no more, and models beyond the bound are counted together', async () => {
    const metrics = new SchedulerMetrics();
    const count = { allocated: 1, idle: 2, unhealthy: 0 };
    const cards = new Map(Array.from({ length: 100 }, (_, i) => [`model-${String(i).padStart(3, '0')}`, count]));
    await metrics.text(facts({ cards, pending: new Map([['no-machine', 7]]) }), 0);
    const isolatedCards = new Map(Array.from({ length: 40 }, (_, i) => [`pool-${i}`, 8]));
    const many = samplesOf(await metrics.text(facts({ cards, isolatedCards, coverage: 0.75 }), 0));
    expect(many.get('springtide_isolated_cards{pool="other"}')).toBe(8 * 8);
    expect(many.get('springtide_pool_coverage_ratio{}')).toBe(0.75);
    const series = [...many.keys()].filter((name) => name.startsWith('springtide_cards{'));
    expect(series).toHaveLength(3 * 33);
    expect(many.get('springtide_cards{model="other",state="idle"}')).toBe(2 * 68);
    expect([...many.keys()].some((name) => name.startsWith('springtide_pending_pods'))).toBe(false);
  });
});

function seen(name: string, part: Partial<ClusterPod>): ClusterPod {
  const pod = aPod(name).asking(aRequest().whole(1)).build();
  const usual = { uid: name, pod, machine: null, isGated: false, gang: null, schedulerName: 'springtide' };
  return { ...usual, ...part } as ClusterPod;
}

test('the world is counted: cards by state, whose they are, and why pods wait', () => {
  const machines = [
    aMachine('m').cards(PRODUCTS.a100, 4).build(),
    aMachine('n').inPool('red').cards(PRODUCTS.a100, 1).build(),
  ];
  const gang = {
    id: 'volcano:t/g',
    source: 'volcano',
    name: 'g',
    object: 'volcano:t/g',
    minCount: 2,
    topology: null,
  } as const;
  const pods = [
    seen('mine', { machine: 'm' }),
    seen('theirs', { machine: 'm', schedulerName: 'default-scheduler' }),
    seen('waits', {}),
    seen('gated', { isGated: true }),
    seen('member', { gang }),
    seen('foreign', { schedulerName: 'default-scheduler' }),
  ];
  const book = new Book(machines);
  const holds = { isDeleting: false, held: null, fractionGroups: [] };
  fillBook(
    book,
    pods.map(({ pod, machine }) => ({ ...holds, pod, machine })),
  );
  const told = new Map([['waits', 'no-machine' as const]]);
  const { cards, cardsHeld, pending, gangs, isolatedCards, coverage } = worldFacts({
    pods,
    book,
    told,
    schedulerName: 'springtide',
  });
  expect([...cards.values()]).toEqual([{ allocated: 2, idle: 3, unhealthy: 0 }]);
  expect([[...isolatedCards], coverage]).toEqual([[['red', 1]], 0.8]);
  expect(cardsHeld).toEqual({ ours: 1, others: 1 });
  expect(pending).toEqual(
    new Map([
      ['no-machine', 1],
      ['gated', 1],
      ['untried', 1],
    ]),
  );
  expect(gangs).toEqual({ waiting: 1, started: 0 });
});
