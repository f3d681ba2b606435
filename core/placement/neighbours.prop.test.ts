import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { neighbourConstraints, scenes, steps } from '@springtide/testkit/generators';
import { forAll } from '@springtide/testkit/property';
import { neighbourTwin, Stage } from '@springtide/testkit/twin';
import { FILTERS } from '../model/index.ts';
import { neighboursOf } from './neighbours.ts';
import { DEFAULT_SERVICE_CAPS } from './service-caps.ts';

const cases = fc.record({
  scene: scenes({ constraints: neighbourConstraints() }),
  todo: steps(['observe', 'observe', 'release'], 12),
  serviceCaps: fc.constantFrom(undefined, DEFAULT_SERVICE_CAPS, { machineMilli: 1000, rackMilli: 500 }),
});

describe('filters about other pods', () => {
  test('refuse a machine under the name the twin finds by looking at the whole fleet for each machine', () => {
    const seen = new Map<string, number>();
    forAll(cases, ({ scene: { machines, pods }, todo, serviceCaps }) => {
      const stage = new Stage(machines, pods);
      const { book } = stage;
      for (const step of todo) stage.take(step, []);
      for (const pod of pods.filter(({ id }) => !book.holdings.has(id))) {
        // Host memory comes first among these filters, and is not about other pods.
        const requestClass = { ...book.classOf(pod.request, pod.tenant), memoryBytes: 0 };
        const neighbours = neighboursOf(book, pod, requestClass, serviceCaps);
        const found = machines.map((_, machine) => FILTERS[neighbours?.refusalOf(machine) ?? 0]);
        const wanted = machines.map((_, machine) => neighbourTwin(stage.world, pod, machine, serviceCaps));
        expect(found).toEqual(wanted);
        for (const name of wanted) seen.set(name, (seen.get(name) ?? 0) + 1);
      }
    });
    expect([...seen.keys()].toSorted()).toEqual([
      'card-limit',
      'host-port',
      'none',
      'pod-affinity',
      'pod-anti-affinity',
      'service-machine',
      'service-rack',
      'topology-spread',
      'volume-in-use',
    ]);
  });
});
