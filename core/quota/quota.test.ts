import { describe, expect, test } from 'vitest';
import { type CohortSpec, QUOTA_MAX, type QueueSpec, type QuotaSpecs } from '@springtide/core/model';
import { aCell, aCohort, aFlavor, aQueue } from '@springtide/testkit/builders';
import { Book } from '../state/index.ts';
import { claimOn } from './claims.ts';
import { excessesOf, lacksOf } from './lacks.ts';
import { Quota, type QuotaDemand } from './quota.ts';
import { sharesOf } from './shares.ts';

const FLAVORS = [aFlavor('a100'), aFlavor('h800')];

function specsOf(queues: readonly QueueSpec[], cohorts: readonly CohortSpec[] = [aCohort('lab')]): QuotaSpecs {
  return { flavors: FLAVORS, cohorts, queues };
}

const inLab = { cohort: 'lab' };

/** Two queues that own eight cards each and lend to each other. */
const TWO = specsOf([
  aQueue('blue', [aCell('a100', 'cards', 8)], inLab),
  aQueue('red', [aCell('a100', 'cards', 8)], inLab),
]);

function quotaOf(specs: QuotaSpecs): { book: Book; quota: Quota } {
  const book = new Book([]);
  const quota = new Quota(book.quota);
  const edited = quota.edit(specs);
  expect(edited.ok ? [] : edited.error).toEqual([]);
  return { book, quota };
}

function cards(quota: Quota, queue: string, amount: number, flavor = 'a100'): QuotaDemand {
  const demand = quota.demand(queue, [{ flavor, resource: 'cards', amount }]);
  if (!demand.ok) throw new Error(`${queue} has no cell for ${flavor}`);
  return demand.value;
}

describe('a quota tree', () => {
  test('Q2: lends what is idle, and takes it off what its owner may use until it comes back', () => {
    const { quota } = quotaOf(TWO);
    expect(quota.fits(cards(quota, 'blue', 16))).toBe(true);
    quota.charge('w', cards(quota, 'blue', 12));
    expect(quota.wouldBorrow(cards(quota, 'blue', 1))).toBe(true);
    expect(quota.fits(cards(quota, 'red', 4))).toBe(true);
    expect(quota.fits(cards(quota, 'red', 5))).toBe(false);
    quota.ledger.refund('w');
    expect(quota.fits(cards(quota, 'red', 16))).toBe(true);
  });

  test('never lends a floor or what is above the lending limit, and borrows no more than the limit', () => {
    const { quota } = quotaOf(
      specsOf([
        aQueue('serving', [aCell('a100', 'cards', 8, { floor: 6 })], inLab),
        aQueue('mean', [aCell('a100', 'cards', 8, { lendingLimit: 1 })], inLab),
        aQueue('modest', [aCell('a100', 'cards', 0, { borrowingLimit: 2 })], inLab),
        aQueue('keen', [aCell('a100', 'cards', 0)], inLab),
      ]),
    );
    expect(quota.fits(cards(quota, 'keen', 3))).toBe(true);
    expect(quota.fits(cards(quota, 'keen', 4))).toBe(false);
    expect(quota.fits(cards(quota, 'modest', 2))).toBe(true);
    expect(quota.fits(cards(quota, 'modest', 3))).toBe(false);
    quota.charge('w', cards(quota, 'keen', 3));
    expect(quota.fits(cards(quota, 'serving', 6))).toBe(true);
    expect(quota.fits(cards(quota, 'serving', 7))).toBe(false);
  });

  test('limits a queue by a cell that only its cohort names', () => {
    const money = aCohort('lab', { cells: [aCell('a100', 'priceMicrosPerHour', 100)] });
    const { quota } = quotaOf(specsOf([aQueue('blue', [aCell('a100', 'cards', 8)], inLab)], [money]));
    const demand = quota.demand('blue', [{ flavor: 'a100', resource: 'priceMicrosPerHour', amount: 101 }]);
    expect(demand.ok && quota.canEverFit(demand.value)).toBe(false);
  });

  test('names amounts for which the queue has no cell, and adds up those that are told twice', () => {
    const { quota } = quotaOf(TWO);
    const unknown = { flavor: 'h800', resource: 'cards', amount: 1 };
    expect(quota.demand('blue', [unknown, { ...unknown, amount: 0 }])).toEqual({ ok: false, error: [unknown] });
    const twice = quota.demand(
      'blue',
      [1, 2].map((amount) => ({ flavor: 'a100', resource: 'cards', amount })),
    );
    expect(twice.ok && [...twice.value.amounts]).toEqual([3]);
  });

  test('sums of amounts stop at the largest, and what cannot be counted is neither free nor charged', () => {
    const endless = aCell('a100', 'cards', QUOTA_MAX);
    const { quota } = quotaOf(specsOf([aQueue('blue', [endless], inLab), aQueue('red', [endless], inLab)]));
    quota.charge('w', cards(quota, 'blue', QUOTA_MAX - 1));
    expect(quota.fits(cards(quota, 'red', 1))).toBe(true);
    expect(quota.fits(cards(quota, 'red', 2))).toBe(false);
    expect([...quota.charge('v', cards(quota, 'red', 5)).amounts]).toEqual([1]);
    quota.ledger.refund('v');
    quota.ledger.refund('w');
    expect([...quota.ledger.used]).toEqual([0, 0, 0]);
  });

  test('says what is short, where, and who borrows it', () => {
    const { quota } = quotaOf(TWO);
    quota.charge('w', cards(quota, 'blue', 12));
    const lack = { flavor: 'a100', resource: 'cards', node: 'lab', asked: 6, available: 4 };
    expect(lacksOf(quota, cards(quota, 'red', 6))).toEqual([{ ...lack, borrowers: [{ queue: 'blue', amount: 4 }] }]);
    expect(lacksOf(quota, cards(quota, 'red', 4))).toEqual([]);
  });

  test('remembers who has borrowed, half as much after each half-life, and weighs it', () => {
    const book = new Book([]);
    const quota = new Quota(book.quota);
    const owner = aQueue('owner', [aCell('a100', 'cards', 8)], inLab);
    const borrower = (id: string, weightMilli: number): QueueSpec =>
      aQueue(id, [aCell('a100', 'cards', 0)], { ...inLab, weightMilli });
    quota.edit(specsOf([owner, borrower('blue', 1000), borrower('red', 2000), borrower('grey', 0)]));
    const shares = (): number[] => ['blue', 'red', 'grey'].map((queue) => sharesOf(quota, queue)[1] as number);
    expect(shares()).toEqual([0, 0, 0]);
    for (const queue of ['blue', 'red', 'grey']) quota.charge(queue, cards(quota, queue, 2));
    expect(shares()).toEqual([125_000, 62_500, QUOTA_MAX]);
    quota.ledger.advance(DAY_MS);
    expect(shares()).toEqual([187_500, 93_750, QUOTA_MAX]);
    for (const queue of ['blue', 'red', 'grey']) quota.ledger.refund(queue);
    expect(shares()).toEqual([62_500, 31_250, QUOTA_MAX]);
    quota.ledger.advance(2 * DAY_MS);
    expect(shares()).toEqual([31_250, 15_625, QUOTA_MAX]);
  });
});

const DAY_MS = 86_400_000;

describe('a claim on what another queue has', () => {
  test('Q3: takes back what is lent, not what the other owns, and not for what would be borrowed', () => {
    const { quota } = quotaOf(TWO);
    const lent = quota.charge('w', cards(quota, 'blue', 12));
    expect(claimOn(quota, cards(quota, 'red', 4), lent)).toBe(null);
    expect(claimOn(quota, cards(quota, 'red', 8), lent)).toBe('owned');
    expect(claimOn(quota, cards(quota, 'red', 9), lent)).toBe('borrowed');
    expect(claimOn(quota, cards(quota, 'blue', 9), lent)).toBe(null);
    quota.ledger.refund('w');
    expect(claimOn(quota, cards(quota, 'red', 16), quota.charge('v', cards(quota, 'blue', 8)))).toBe(null);
  });

  test('is on work that uses what is short, and on no other of the same queue', () => {
    const both = (cardsOwned: number, computeOwned: number) => [
      aCell('a100', 'cards', cardsOwned),
      aCell('a100', 'computeMilli', computeOwned),
    ];
    const { quota } = quotaOf(specsOf([aQueue('blue', both(0, 8), inLab), aQueue('red', both(8, 0), inLab)]));
    const lent = quota.charge('w', cards(quota, 'blue', 8));
    const compute = quota.demand('blue', [{ flavor: 'a100', resource: 'computeMilli', amount: 8 }]);
    const own = compute.ok ? quota.charge('v', compute.value) : null;
    expect(claimOn(quota, cards(quota, 'red', 1), lent)).toBe('owned');
    expect(own && claimOn(quota, cards(quota, 'red', 1), own)).toBe(null);
  });

  test('is weighed where both sides meet: within its cohort a queue borrows, against others its cohort owns', () => {
    const cohorts = [aCohort('all'), aCohort('east', { parent: 'all' }), aCohort('west', { parent: 'all' })];
    const queue = (id: string, owned: number, cohort: string): QueueSpec =>
      aQueue(id, [aCell('a100', 'cards', owned)], { cohort });
    const { quota } = quotaOf(
      specsOf([queue('e1', 8, 'east'), queue('e2', 0, 'east'), queue('w1', 0, 'west')], cohorts),
    );
    const lent = quota.charge('lent', cards(quota, 'w1', 8));
    expect(claimOn(quota, cards(quota, 'e2', 4), lent)).toBe('borrowed');
    expect(claimOn(quota, cards(quota, 'e1', 4), lent)).toBe('owned');
  });
});

describe('an edit of a quota tree', () => {
  test('scenario 36, I4: a cycle, an unknown name or a cell in use that goes is refused, and nothing has changed', () => {
    const { quota } = quotaOf(TWO);
    quota.charge('w', cards(quota, 'blue', 12));
    const { tree } = quota;
    const used = [...quota.ledger.used];
    const [blue, red] = TWO.queues as [QueueSpec, QueueSpec];
    const cycle = [aCohort('lab', { parent: 'top' }), aCohort('top', { parent: 'lab' })];
    const problems = (specs: QuotaSpecs): string[] => {
      const edited = quota.edit(specs);
      return edited.ok ? [] : edited.error.map(({ id, field, problem }) => `${id} ${field} ${problem}`);
    };
    expect(problems(specsOf([blue, red], cycle))).toEqual(['lab parent cycle', 'top parent cycle']);
    expect(problems(specsOf([red]))).toEqual(['blue id in-use']);
    expect(problems(specsOf([{ ...blue, cells: [], flavors: ['a100'] }, red]))).toEqual(['blue cells in-use']);
    expect(problems(specsOf([{ ...blue, cohort: 'lba' }, red]))).toEqual(['blue cohort unknown-cohort']);
    expect(quota.tree).toBe(tree);
    expect([...quota.ledger.used]).toEqual(used);
  });

  test('scenario 36, I4: a queue may move while full; what it borrowed there is then too much, and grows no more', () => {
    const { quota } = quotaOf(TWO);
    quota.charge('w', cards(quota, 'blue', 12));
    const [blue, red] = TWO.queues as [QueueSpec, QueueSpec];
    quota.edit(specsOf([{ ...blue, cohort: 'other' }, red], [aCohort('lab'), aCohort('other')]));
    const excess = { node: 'other', flavor: 'a100', resource: 'cards', amount: 4, from: ['blue'] };
    expect(excessesOf(quota)).toEqual([excess]);
    expect(quota.fits(cards(quota, 'blue', 1))).toBe(false);
    expect(quota.fits(cards(quota, 'red', 8))).toBe(true);
  });

  test('scenario 29, I4: quota lowered below use admits nothing, and says from whom to take how much', () => {
    const { quota } = quotaOf(TWO);
    quota.charge('w', cards(quota, 'blue', 10));
    quota.charge('v', cards(quota, 'red', 6));
    const [blue, red] = TWO.queues as [QueueSpec, QueueSpec];
    quota.edit(specsOf([{ ...blue, cells: [aCell('a100', 'cards', 4)] }, red]));
    const excess = { node: 'lab', flavor: 'a100', resource: 'cards', amount: 4, from: ['blue'] };
    expect(excessesOf(quota)).toEqual([excess]);
    expect(quota.fits(cards(quota, 'red', 1))).toBe(false);
    quota.ledger.refund('w');
    expect(excessesOf(quota)).toEqual([]);
    expect(quota.fits(cards(quota, 'red', 1))).toBe(true);
  });
});

describe('faulty quota specs', () => {
  test('are refused with every fault and its place', () => {
    const book = new Book([]);
    const edited = new Quota(book.quota).edit({
      flavors: [aFlavor('a100', { cardMemoryMiB: 0.5 }), aFlavor('a100')],
      cohorts: [aCohort('lab', { parent: 'gone', weightMilli: -1 })],
      queues: [
        aQueue('blue', [aCell('a100', 'cards', 1, { floor: 2 }), aCell('a100', 'cards', 2 ** 60)], {
          flavors: ['h900', 'h900'],
        }),
      ],
    });
    expect(
      edited.ok ? [] : edited.error.map(({ object, id, field, problem }) => `${object} ${id} ${field} ${problem}`),
    ).toEqual([
      'flavor a100 id duplicate-id',
      'flavor a100 cardMemoryMiB not-an-amount',
      'cohort lab weightMilli not-an-amount',
      'cohort lab parent unknown-cohort',
      'queue blue cells[0].floor floor-above-nominal',
      'queue blue cells[1].nominal not-an-amount',
      'queue blue cells[1] duplicate-cell',
      'queue blue flavors[0] unknown-flavor',
      'queue blue flavors[1] unknown-flavor',
      'queue blue flavors[1] duplicate-flavor',
      'queue blue cells[0].flavor flavor-not-listed',
      'queue blue cells[1].flavor flavor-not-listed',
    ]);
  });

  test('may not stack cohorts without end', () => {
    const cohorts = Array.from({ length: 40 }, (_, n) => aCohort(`c${n}`, { parent: n === 0 ? null : `c${n - 1}` }));
    const edited = new Quota(new Book([]).quota).edit(specsOf([], cohorts));
    expect(edited.ok ? [] : edited.error[0]).toMatchObject({ id: 'c32', problem: 'too-deep' });
  });
});
