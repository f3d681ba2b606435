import { forAll } from '@springtide/testkit/property';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { JOB_PHASES, type ProgressReport } from '../model/index.ts';
import { FIRST_RECORD, type ProgressNews, type ProgressRecord, ProgressTracker } from './index.ts';
import { Pulse } from './pulse.ts';

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        deed: fc.constant('report' as const),
        // Behind the live one, the live one, ahead of it.
        ahead: fc.constantFrom(-1, 0, 0, 0, 0, 1),
        pod: fc.nat(2),
        steps: fc.integer({ min: -2, max: 5 }),
        phase: fc.constantFrom(...JOB_PHASES.filter((phase) => phase !== 'done')),
        uri: fc.nat(4),
        news: fc.constantFrom('none', 'none', 'complete', 'torn', 'missing'),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ deed: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 90_000 }) }),
    },
    { weight: 1, arbitrary: fc.record({ deed: fc.constant('fail' as const), exitCode: fc.constantFrom(1, 137, 139) }) },
  ),
  { maxLength: 80 },
);

type Step = typeof steps extends fc.Arbitrary<(infer Each)[]> ? Each : never;

/** What must hold, written down as it is told from outside. */
class Twin {
  readonly tracker = new ProgressTracker();
  nowMs = 0;
  step = 0;
  live = 1;
  record: ProgressRecord = FIRST_RECORD;
  /** Checkpoints that were told to be whole, by uri, and have not been found otherwise. */
  readonly whole = new Set<string>();
  readonly acceptedAtMs = new Map<string, number[]>();

  constructor() {
    this.tracker.follow(0, 'j', FIRST_RECORD);
  }

  do(step: Step): void {
    if (step.deed === 'report') this.#report(step);
    else if (step.deed === 'pass') {
      this.nowMs += step.ms;
      this.#told(this.tracker.due(this.nowMs));
      expect(this.tracker.wakeAtMs).toBeGreaterThan(this.nowMs);
    } else {
      const failure = { reason: 'Error', exitCode: step.exitCode, message: '' };
      this.#told(this.tracker.fail(this.nowMs, 'j', this.live, failure, 'm'));
    }
  }

  #report({ ahead, pod, steps: done, phase, uri, news }: Extract<Step, { deed: 'report' }>): void {
    this.step = Math.max(0, this.step + done);
    const checkpoint: ProgressReport['checkpoint'] =
      news === 'none'
        ? null
        : news === 'complete'
          ? { state: news, uri: `${uri}`, bytes: 1, sha256: '' }
          : { state: news, uri: `${uri}` };
    const incarnation = this.live + ahead;
    const report = { incarnation, step: this.step, loss: null, phase, checkpoint };
    const uid = `u${pod}`;
    const heard = this.tracker.hear(
      { nowMs: this.nowMs, wallMs: 0 },
      'j',
      { uid, machine: 'm', incarnation: null },
      report,
    );
    if (!heard.ok) {
      if (heard.error.why === 'stale') expect(incarnation).toBeLessThan(this.live);
      return;
    }
    // I6: whoever is heard is the live one from now on.
    expect(incarnation).toBeGreaterThanOrEqual(this.live);
    expect(heard.value.record.incarnation).toBe(incarnation);
    if (incarnation > this.live) this.acceptedAtMs.clear();
    this.live = incarnation;
    this.record = heard.value.record;
    if (checkpoint?.state === 'complete') this.whole.add(checkpoint.uri);
    else if (checkpoint !== null) this.whole.delete(checkpoint.uri);
    this.#told(heard.value.news);
    this.#checkRate(uid);
    const { from } = heard.value.answer;
    if (from !== null) expect(this.whole).toContain(from.uri);
  }

  #checkRate(uid: string): void {
    const times = [...(this.acceptedAtMs.get(uid) ?? []), this.nowMs];
    this.acceptedAtMs.set(uid, times);
    for (const [index, atMs] of times.entries()) {
      expect(times.length - index).toBeLessThanOrEqual((this.nowMs - atMs) / 1000 + 10);
    }
  }

  #told(news: readonly ProgressNews[]): void {
    for (const each of news) {
      expect(each.incarnation).toBe(this.live);
      if (each.kind !== 'decided') continue;
      const { decision, record } = each;
      if (decision.kind === 'give-up') expect(record.incarnation).toBe(this.live);
      else {
        expect(record.incarnation).toBe(this.live + 1);
        expect(record.fruitless).toBeLessThanOrEqual(6);
        // I2: from what is whole, the newest that has not failed twice; or from the beginning.
        const good = record.checkpoints.find(({ strikes }) => strikes < 2);
        expect(decision.from?.uri).toBe(good?.uri);
        if (decision.from !== null) expect(this.whole).toContain(decision.from.uri);
      }
      this.live = record.incarnation;
      this.acceptedAtMs.clear();
    }
  }
}

test('I2, I6: whatever is heard, one incarnation lives, and it goes on from a checkpoint that is whole', () => {
  forAll(steps, (deeds) => {
    const twin = new Twin();
    for (const deed of deeds) twin.do(deed);
  });
});

test('R1: a job that trains and then stands still is found in twice an interval between its usual and its longest', () => {
  const gaps = fc.array(fc.integer({ min: 5000, max: 600_000 }), { minLength: 4, maxLength: 60 });
  forAll(gaps, (gapsMs) => {
    const pulse = new Pulse(0);
    const report = { incarnation: 1, loss: null, phase: 'train', checkpoint: null } as const;
    let nowMs = 0;
    const pod = { uid: 'u', machine: 'm' };
    pulse.hear(nowMs, pod, { ...report, step: 0 });
    for (const [index, gapMs] of gapsMs.entries()) {
      nowMs += gapMs;
      pulse.hear(nowMs, pod, { ...report, step: index + 1 });
    }
    const known = gapsMs.slice(-32).toSorted((left, right) => left - right);
    const waitMs = pulse.deadlineMs - nowMs;
    const usualMs = known[Math.floor(known.length / 2)] as number;
    expect(waitMs).toBeGreaterThanOrEqual(2 * usualMs);
    // Twice the longest pause where one is due; steps come one by one here, so that it may be.
    expect(waitMs).toBeLessThanOrEqual(2 * Math.max(...gapsMs));
    expect(pulse.trouble(pulse.deadlineMs - 1)).toBeNull();
    expect(pulse.trouble(pulse.deadlineMs)).not.toBeNull();
  });
});
