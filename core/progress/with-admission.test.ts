import type { AdmissionCommand } from '@springtide/core/admission';
import type { CheckpointNews, JobPhase } from '@springtide/core/model';
import { aCardJob, aCardQueue, Desk, kinds } from '@springtide/testkit/admission';
import { describe, expect, test } from 'vitest';
import { admissionEvents, FIRST_RECORD, type ProgressNews, ProgressTracker } from './index.ts';

const SECOND = 1000;

/** A job of eight cards on four machines, admitted by the real admission, whose heartbeats the tracker hears. */
class Scene {
  readonly desk: Desk;
  readonly tracker = new ProgressTracker();
  readonly told: AdmissionCommand[] = [];

  constructor(machines = 4) {
    this.desk = new Desk([aCardQueue('q', 32)], { machines });
    this.tracker.follow(0, 'j', FIRST_RECORD);
    this.told.push(...this.desk.submit(aCardJob('j', 8)));
  }

  get incarnation(): number {
    return this.desk.incarnations.get('j') ?? 0;
  }

  /** Where it was admitted last, and from what. */
  get start(): Extract<AdmissionCommand, { kind: 'admit' }> {
    const admits = this.told.filter((command) => command.kind === 'admit');
    return admits.at(-1) as Extract<AdmissionCommand, { kind: 'admit' }>;
  }

  get machine(): string {
    return this.start.podSets[0]?.machines[0] ?? '';
  }

  #pass(news: readonly ProgressNews[]): void {
    const events = news.flatMap((each) => admissionEvents(each, this.desk.nowMs));
    if (events.length > 0) this.told.push(...this.desk.hear(...events));
  }

  report(step: number, more: { checkpoint?: CheckpointNews; phase?: JobPhase } = {}, incarnation = this.incarnation) {
    const at = { nowMs: this.desk.nowMs, wallMs: this.desk.nowMs };
    const pod = { uid: `u${incarnation}`, machine: this.machine, incarnation };
    const report = { incarnation, step, loss: null, phase: 'train' as const, checkpoint: null, ...more };
    const heard = this.tracker.hear(at, 'j', pod, report);
    if (heard.ok) this.#pass(heard.value.news);
    return heard;
  }

  wait(ms: number): void {
    this.told.push(...this.desk.wait(ms));
    this.#pass(this.tracker.due(this.desk.nowMs));
  }

  /** Steps, ten seconds each, and then silence until something is ordered. */
  trainAndHang(from: number): void {
    for (let step = from; step < from + 10; step += 1) {
      this.report(step);
      this.wait(10 * SECOND);
    }
    const count = this.told.length;
    for (let tries = 0; this.told.length === count && tries < 200; tries += 1) this.wait(10 * SECOND);
  }
}

const saved = (uri: string): CheckpointNews => ({ state: 'complete', uri, bytes: 1, sha256: '' });

describe('R1, with admission', () => {
  test('a job that hangs gives its cards back and starts elsewhere, from its checkpoint, as the next incarnation', () => {
    const scene = new Scene();
    const former = scene.machine;
    scene.report(5, { checkpoint: saved('a') });
    scene.trainAndHang(6);
    expect(kinds(scene.told.slice(-1))).toEqual(['evict j']);
    scene.told.push(...scene.desk.say('job-stopped', 'j'));
    scene.wait(20 * SECOND);
    expect(scene.start).toMatchObject({ checkpoint: { uri: 'a', step: 5 }, record: { incarnation: 2 } });
    expect(scene.machine).not.toBe(former);
    expect(scene.report(6).ok).toBe(true);
    // I6: what is left of the former start.
    expect(scene.report(16, {}, 1)).toMatchObject({ error: { why: 'stale', live: 2 } });
  });

  test('scenario 33: a checkpoint that was torn in the grace period gives way to the one before, and no job is lost (I2)', () => {
    const scene = new Scene();
    scene.report(5, { checkpoint: saved('a') });
    scene.report(8, { checkpoint: saved('b') });
    scene.trainAndHang(9);
    scene.told.push(...scene.desk.say('job-stopped', 'j'));
    scene.wait(20 * SECOND);
    expect(scene.start.checkpoint).toMatchObject({ uri: 'b' });
    // It finds it torn when it wants to load it: where it would start again now is the one before.
    const found = scene.report(0, { checkpoint: { state: 'torn', uri: 'b' }, phase: 'start' });
    expect(found).toMatchObject({ value: { answer: { from: { uri: 'a', step: 5 } } } });
    scene.trainAndHang(6);
    scene.told.push(...scene.desk.say('job-stopped', 'j'));
    scene.wait(60 * SECOND);
    expect(scene.start).toMatchObject({ checkpoint: { uri: 'a' }, record: { incarnation: 3 } });
    expect(scene.desk.state('j')).toBe('running');
  });

  test('I11: suspect machines give way where nothing outside them could hold the job', () => {
    const scene = new Scene(2);
    const machines: string[] = [];
    for (const incarnation of [1, 2, 3]) {
      expect(scene.start.record.incarnation).toBe(incarnation);
      machines.push(scene.machine);
      scene.trainAndHang(10 * incarnation);
      scene.told.push(...scene.desk.say('job-stopped', 'j'));
      scene.wait(60 * SECOND);
    }
    expect(machines[1]).not.toBe(machines[0]);
    // Both are suspect now.
    expect(scene.desk.state('j')).toBe('running');
    expect(scene.start.record).toMatchObject({ incarnation: 4, avoids: [] });
  });

  test('a job that a retry cannot mend has failed, and says so', () => {
    const scene = new Scene();
    scene.report(1);
    const failure = { reason: 'Error', exitCode: 127, message: '' };
    const news = scene.tracker.fail(scene.desk.nowMs, 'j', 1, failure, 'm0');
    scene.desk.hear(...news.flatMap((each) => admissionEvents(each, 0)));
    expect(scene.desk.state('j')).toBe('failed');
  });
});
