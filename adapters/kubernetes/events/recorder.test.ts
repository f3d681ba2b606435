import { err, ok, type Result } from '@springtide/core/base';
import { type ClusterFailure, clusterFailure, type EventRecord } from '@springtide/ports/cluster';
import { VirtualClock } from '@springtide/testkit/clock';
import { describe, expect, test } from 'vitest';
import type { ApiRequest } from '../client/api-client.ts';
import { Gate, GATE_LIMITS } from '../client/gate.ts';
import { cut } from './event-object.ts';
import { Recorder, RECORDER_TIMES, type RecorderTimes } from './recorder.ts';

type Body = { note?: string; series?: { count: number }; reason?: string; regarding?: { kind: string } };

class Desk {
  readonly clock = new VirtualClock();
  readonly sent: (ApiRequest & { readonly body: Body })[] = [];
  readonly recorder: Recorder;
  answer: Result<unknown, ClusterFailure> = ok({});

  constructor(times: Partial<RecorderTimes> = {}, waitingMax = 100) {
    const limits = {
      ...GATE_LIMITS,
      inFlightMax: { ...GATE_LIMITS.inFlightMax, event: 16 },
      waitingMax: { ...GATE_LIMITS.waitingMax, event: waitingMax },
      burst: 10,
      perSecond: 10,
    };
    this.recorder = new Recorder({
      client: {
        request: (request) => {
          this.sent.push(request as ApiRequest & { readonly body: Body });
          return Promise.resolve(this.answer);
        },
      },
      gate: new Gate(this.clock, limits),
      clock: this.clock,
      reporter: { controller: 'springtide.io/scheduler', instance: 'a' },
      times: { ...RECORDER_TIMES, ...times },
    });
  }

  get told(): string[] {
    return this.sent.map(({ method, body }) => `${method} ${body.note ?? body.series?.count}`);
  }
}

function about(name: string, note: string): EventRecord {
  const pod = { uid: `uid-${name}`, namespace: 'team', name };
  return { about: { kind: 'pod', pod }, type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', note };
}

describe('an event', () => {
  test('is written once, and its repeats as a count', async () => {
    const desk = new Desk();
    expect(desk.recorder.record(about('a', 'no card'))).toBe('kept');
    for (let i = 0; i < 9; i += 1) {
      await desk.clock.pass(1000);
      expect(desk.recorder.record(about('a', 'no card'))).toBe('folded');
    }
    expect(desk.told).toEqual(['POST no card']);
    await desk.clock.pass(60_000);
    expect(desk.told).toEqual(['POST no card', 'PATCH 10']);
    expect(desk.sent[0]?.body).toMatchObject({ reason: 'FailedScheduling', regarding: { kind: 'Pod', uid: 'uid-a' } });
    expect(desk.sent[1]?.path).toMatch(/\/namespaces\/team\/events\/a\.[0-9a-f]+$/);
  });

  test('of another text about the same thing comes no more often than agreed, and only the newest', async () => {
    const desk = new Desk();
    for (let i = 0; i < 100; i += 1) {
      desk.recorder.record(about('a', `${i} cards short`));
      await desk.clock.pass(700);
    }
    await desk.clock.pass(60_000);
    expect(desk.told.length).toBeLessThanOrEqual(5);
    expect(desk.told.at(-1)).toBe('POST 99 cards short');
  });

  test('is new again after a long silence, or when its object has been cleared away', async () => {
    const desk = new Desk();
    desk.recorder.record(about('a', 'x'));
    await desk.clock.pass(RECORDER_TIMES.forgetMs + 60_000);
    expect(desk.recorder.counts.subjects).toBe(0);
    expect(desk.recorder.record(about('a', 'x'))).toBe('kept');
    await desk.clock.pass(40_000);
    desk.answer = err(clusterFailure('not-found', ''));
    desk.recorder.record(about('a', 'x'));
    desk.answer = ok({});
    await desk.clock.pass(40_000);
    desk.recorder.record(about('a', 'x'));
    await desk.clock.pass(40_000);
    expect(desk.told.filter((line) => line.startsWith('POST'))).toHaveLength(3);
  });

  test('is dropped and counted when too many wait, and written later if it still holds', async () => {
    const desk = new Desk({}, 5);
    const answers = Array.from({ length: 30 }, (_, index) => desk.recorder.record(about(`pod-${index}`, 'x')));
    expect(answers.filter((answer) => answer === 'kept')).toHaveLength(15);
    expect(desk.recorder.counts.dropped).toBe(15);
    await desk.clock.pass(120_000);
    expect(new Set(desk.sent.map(({ path, body }) => `${path} ${JSON.stringify(body.regarding)}`)).size).toBe(30);
  });

  test('costs bounded memory, whoever it is about', async () => {
    const desk = new Desk({ keysMax: 50 });
    for (let i = 0; i < 500; i += 1) desk.recorder.record(about(`pod-${i}`, 'x'));
    expect(desk.recorder.counts.subjects).toBe(50);
    await desk.clock.pass(1000);
  });

  test('has a note that fits, cut between characters', () => {
    expect(cut('短'.repeat(400), 1024)).toBe(`${'短'.repeat(340)}…`);
    expect(cut('short', 1024)).toBe('short');
  });
});
