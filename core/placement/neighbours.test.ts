import { describe, expect, test } from 'vitest';
import {
  aMachine,
  aPod,
  aRequest,
  evenly,
  exists,
  isIn,
  type MachineBuilder,
  type PodBuilder,
  podsWith,
} from '@springtide/testkit/builders';
import { FILTERS, type Pod } from '../model/index.ts';
import { Book, holdingOn } from '../state/index.ts';
import { neighboursOf } from './neighbours.ts';

/** Two machines in zone a, one in zone b, one without a zone. */
const zoned = [
  aMachine('a1').labelled('zone', 'a').labelled('host', 'a1'),
  aMachine('a2').labelled('zone', 'a').labelled('host', 'a2'),
  aMachine('b1').labelled('zone', 'b').labelled('host', 'b1'),
  aMachine('none').labelled('host', 'none'),
];

interface Placed {
  readonly pod: Pod;
  readonly on: string;
  readonly deleting: boolean;
}

function placed(pod: PodBuilder, on: string, deleting = false): Placed {
  return { pod: pod.build(), on, deleting };
}

/** Which filter refuses the pod on each machine, in order of the machines. */
function refusals(pod: PodBuilder, there: readonly Placed[], machines: readonly MachineBuilder[] = zoned): string {
  const book = new Book(machines.map((machine) => machine.build()));
  there.forEach(({ pod: other, on, deleting }, i) => {
    const place = { machine: book.machineOf(on), cards: [] };
    book.hold({ ...holdingOn(book, { ...other, id: `placed-${i}` }, book.classOf(other.request), place), deleting });
  });
  const asked = pod.build();
  const neighbours = neighboursOf(book, asked, book.classOf(asked.request), undefined);
  return book.machines.map((_, machine) => FILTERS[neighbours?.refusalOf(machine) ?? 0]).join(' ');
}

const x = aPod('x').labelled('app', 'x');
const near = (key: string): PodBuilder => x.asking(aRequest().beside(podsWith(key, isIn('app', 'x'))));
const apart = (key: string): PodBuilder => x.asking(aRequest().awayFrom(podsWith(key, isIn('app', 'x'))));
const spread = (more: Parameters<typeof evenly>[1] = {}): PodBuilder =>
  x.asking(aRequest().spread(evenly('zone', more)));

describe('pod affinity', () => {
  test('leads to the domain of a pod that matches', () => {
    expect(refusals(near('zone'), [placed(x, 'a1')])).toBe('none none pod-affinity pod-affinity');
  });

  test('lets the first of a group go anywhere that has the key', () => {
    expect(refusals(near('zone'), [])).toBe('none none none pod-affinity');
  });

  test('does not let a pod be the first that does not match its own terms', () => {
    const stranger = aPod('y').asking(aRequest().beside(podsWith('zone', isIn('app', 'x'))));
    expect(refusals(stranger, [])).toBe('pod-affinity pod-affinity pod-affinity pod-affinity');
  });

  test('counts pods of the namespaces named, of all with a star, and no pod with a selector of null', () => {
    const other = placed(x.inNamespace('other'), 'b1');
    const into = (namespaces: string[]): PodBuilder =>
      aPod('y').asking(aRequest().beside({ topologyKey: 'zone', selector: [], namespaces }));
    expect(refusals(into(['default']), [other])).toBe('none none none pod-affinity');
    expect(refusals(into(['other']), [other])).toBe('pod-affinity pod-affinity none pod-affinity');
    expect(refusals(into(['*']), [other])).toBe('pod-affinity pod-affinity none pod-affinity');
    const nobody = aPod('y').asking(aRequest().beside({ topologyKey: 'zone', selector: null, namespaces: ['*'] }));
    expect(refusals(nobody, [other])).toBe('pod-affinity pod-affinity pod-affinity pod-affinity');
  });

  test('of two terms wants one pod that matches both, and each term its own domain', () => {
    const both = x.labelled('tier', 'web').asking(
      aRequest()
        .beside(podsWith('zone', isIn('app', 'x')))
        .beside(podsWith('host', exists('tier'))),
    );
    const half = placed(x, 'b1');
    const whole = placed(x.labelled('tier', 'db'), 'a2');
    expect(refusals(both, [half, whole])).toBe('pod-affinity none pod-affinity pod-affinity');
    expect(refusals(both, [half])).toBe('none none none pod-affinity');
  });

  test('is not the first where a matching pod stands on a machine without the key of one term', () => {
    const both = x.asking(
      aRequest()
        .beside(podsWith('zone', isIn('app', 'x')))
        .beside(podsWith('host', isIn('app', 'x'))),
    );
    expect(refusals(both, [placed(x, 'none')])).toBe('pod-affinity pod-affinity pod-affinity pod-affinity');
  });
});

describe('pod anti-affinity', () => {
  test('keeps away from the domain of a pod that matches, and not from machines without the key', () => {
    expect(refusals(apart('zone'), [placed(x, 'a1')])).toBe('pod-anti-affinity pod-anti-affinity none none');
    expect(refusals(apart('host'), [placed(x, 'a1')])).toBe('pod-anti-affinity none none none');
    expect(refusals(apart('zone'), [placed(x, 'none')])).toBe('none none none none');
  });

  test('needs only one of its terms to match', () => {
    const twice = x.asking(
      aRequest()
        .awayFrom(podsWith('host', isIn('app', 'x')))
        .awayFrom(podsWith('zone', isIn('app', 'y'))),
    );
    const there = [placed(x, 'a1'), placed(aPod('y').labelled('app', 'y'), 'b1')];
    expect(refusals(twice, there)).toBe('pod-anti-affinity none pod-anti-affinity none');
  });

  test('of pods that are there counts as much, whether the new pod has any constraint or not', () => {
    expect(refusals(x, [placed(apart('zone'), 'a2')])).toBe('pod-anti-affinity pod-anti-affinity none none');
    expect(refusals(x.inNamespace('other'), [placed(apart('zone'), 'a2')])).toBe('none none none none');
  });

  test('does not count a pod against itself', () => {
    expect(refusals(apart('zone'), [])).toBe('none none none none');
  });
});

describe('topology spread', () => {
  test('keeps the domains within the skew, and off machines without the key', () => {
    expect(refusals(spread(), [placed(x, 'a1')])).toBe('topology-spread topology-spread none topology-spread');
    expect(refusals(spread({ maxSkew: 2 }), [placed(x, 'a1')])).toBe('none none none topology-spread');
  });

  test('counts an empty domain: two in zone a, none in b', () => {
    const there = [placed(x, 'a1'), placed(x, 'a2')];
    expect(refusals(spread({ maxSkew: 2 }), there)).toBe('topology-spread topology-spread none topology-spread');
  });

  test('takes the least as none while there are fewer domains than the minimum', () => {
    const there = [placed(x, 'a1'), placed(x, 'b1')];
    expect(refusals(spread({ minDomains: 2 }), there)).toBe('none none none topology-spread');
    const refused = 'topology-spread topology-spread topology-spread topology-spread';
    expect(refusals(spread({ minDomains: 3 }), there)).toBe(refused);
  });

  test('counts neither pods that are being deleted nor pods of other namespaces nor pods without a domain', () => {
    const there = [placed(x, 'a1', true), placed(x.inNamespace('other'), 'a1'), placed(x, 'none')];
    expect(refusals(spread(), there)).toBe('none none none topology-spread');
  });

  test('adds the pod itself only if the selector matches it', () => {
    const stranger = aPod('y').asking(aRequest().spread(evenly('zone')));
    expect(refusals(stranger, [placed(x, 'a1')])).toBe('none none none topology-spread');
  });

  test('with an empty selector counts nobody, and with none at all not even the pod', () => {
    const there = [placed(x, 'a1'), placed(x, 'a1')];
    expect(refusals(spread({ selector: [] }), there)).toBe('none none none topology-spread');
    expect(refusals(spread({ selector: null }), there)).toBe('none none none topology-spread');
  });

  test('honours node affinity when it counts domains, or ignores it', () => {
    const inB = (policy: 'Honor' | 'Ignore'): PodBuilder =>
      x.asking(
        aRequest()
          .nodeSelector('zone', 'b')
          .spread(evenly('zone', { nodeAffinityPolicy: policy })),
      );
    const there = [placed(x, 'b1')];
    expect(refusals(inB('Honor'), there)).toBe('none none none topology-spread');
    expect(refusals(inB('Ignore'), there)).toBe('none none topology-spread topology-spread');
  });

  test('ignores taints when it counts domains, or honours them', () => {
    const machines = [...zoned.slice(0, 2), (zoned[2] as MachineBuilder).tainted('gpu')];
    const over = (policy: 'Honor' | 'Ignore'): PodBuilder => spread({ nodeTaintsPolicy: policy });
    const there = [placed(x, 'a1')];
    expect(refusals(over('Ignore'), there, machines)).toBe('topology-spread topology-spread none');
    expect(refusals(over('Honor'), there, machines)).toBe('none none none');
  });

  test('leaves out machines that lack the key of another constraint', () => {
    const both = x.asking(aRequest().spread(evenly('zone')).spread(evenly('rack')));
    const machines = [aMachine('a1').labelled('zone', 'a').labelled('rack', '1'), aMachine('b1').labelled('zone', 'b')];
    expect(refusals(both, [placed(x, 'b1')], machines)).toBe('none topology-spread');
  });
});

test('a volume for one pod at a time keeps others waiting everywhere', () => {
  const there = placed(aPod('w').asking(aRequest().alone('team/a')), 'a1');
  expect(refusals(aPod('y').asking(aRequest().alone('team/a', 'team/b')), [there])).toBe(
    'volume-in-use volume-in-use volume-in-use volume-in-use',
  );
  expect(refusals(aPod('y').asking(aRequest().alone('team/b')), [there])).toBe('none none none none');
});

test('where volumes are does not decide which domains spread counts', () => {
  const inB = x.asking(
    aRequest()
      .volume({ machines: [{ expressions: [isIn('zone', 'b')], fields: [] }] })
      .spread(evenly('zone')),
  );
  expect(refusals(inB, [placed(x, 'b1')])).toBe('none none topology-spread topology-spread');
});

describe('host ports', () => {
  const taken = placed(aPod('w').asking(aRequest().hostPort(80, { ip: '10.0.0.1' })), 'a1');
  const everywhere = placed(aPod('w').asking(aRequest().hostPort(80)), 'a1');
  const wanting = (port: number, more = {}): PodBuilder => aPod('y').asking(aRequest().hostPort(port, more));
  test.each([
    ['the same port on the same address', wanting(80, { ip: '10.0.0.1' }), taken, 'host-port'],
    ['the same port on another address', wanting(80, { ip: '10.0.0.2' }), taken, 'none'],
    ['the same port on every address', wanting(80), taken, 'host-port'],
    ['one address of a port taken on every address', wanting(80, { ip: '10.0.0.2' }), everywhere, 'host-port'],
    ['another port', wanting(81), everywhere, 'none'],
    ['another protocol', wanting(80, { protocol: 'UDP' }), everywhere, 'none'],
  ])('%s', (_, pod, other, want) => {
    expect(refusals(pod, [other])).toBe(`${want} none none none`);
  });
});
