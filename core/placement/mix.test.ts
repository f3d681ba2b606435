import { describe, expect, test } from 'vitest';
import { aMachine, aRequest, PRODUCTS } from '@springtide/testkit/builders';
import { Book, type RequestClass } from '../state/index.ts';
import { type MixEntry, RequestMix } from './mix.ts';

const book = (): Book => new Book([aMachine('m').cards(PRODUCTS.a100, 8).build()]);

function classesOf(of: Book, counts: readonly number[]): RequestClass[] {
  return counts.map((count) => of.classOf(aRequest().whole(count).build()));
}

/** Every mix that is taken up, with the number of the arrival at which it is. */
function taken(mix: RequestMix, arrivals: Iterable<RequestClass>): [arrival: number, mix: MixEntry[]][] {
  return [...arrivals].flatMap((requestClass, i) => {
    const found = mix.observe(requestClass);
    return found === null ? [] : [[i + 1, found] as [number, MixEntry[]]];
  });
}

function* turns(classes: readonly RequestClass[], times: number): Generator<RequestClass> {
  for (let i = 0; i < times; i += 1) yield classes[i % classes.length] as RequestClass;
}

describe('the live mix', () => {
  test('is taken up first after 64 arrivals, as shares in order of class that sum to 1', () => {
    const [one, two] = classesOf(book(), [1, 2]) as [RequestClass, RequestClass];
    const found = taken(new RequestMix(), turns([two, one, one, one], 64));
    expect(found).toEqual([
      [
        64,
        [
          { requestClass: one, share: 0.75 },
          { requestClass: two, share: 0.25 },
        ],
      ],
    ]);
  });

  test('is taken up again only when it has moved', () => {
    const [one, two] = classesOf(book(), [1, 2]) as [RequestClass, RequestClass];
    const mix = new RequestMix();
    expect(taken(mix, turns([one], 1000))).toHaveLength(1);
    const [[, moved]] = taken(mix, turns([two], 1100)) as [[number, MixEntry[]]];
    expect(moved.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    expect(moved.map(({ requestClass }) => requestClass)).toEqual([one, two]);
  });

  test('forgets in the long run: a class that no longer comes falls out of it', () => {
    const [one, two] = classesOf(book(), [1, 2]) as [RequestClass, RequestClass];
    const mix = new RequestMix();
    taken(mix, turns([one], 20_000));
    const last = taken(mix, turns([two], 400_000)).at(-1)?.[1];
    expect(last?.find(({ requestClass }) => requestClass === two)?.share).toBeGreaterThan(0.9);
  });

  test('goes on in another book as if nothing had happened, at whatever arrival it moves', () => {
    const arriving = Array.from({ length: 600 }, (_, i) => ({ count: 1 + ((i * i) % 7), tenant: `t${i % 3}` }));
    const classIn = (of: Book, { count, tenant }: (typeof arriving)[number]): RequestClass =>
      of.classOf(aRequest().whole(count).build(), tenant);
    const told = (found: readonly MixEntry[] | null): unknown =>
      found?.map(({ requestClass, share }) => [requestClass.count, requestClass.tenant, share]);
    for (const moved of [1, 63, 64, 65, 300]) {
      const [here, there] = [book(), book()];
      const [stays, first, second] = [new RequestMix(), new RequestMix(), new RequestMix()];
      arriving.forEach((arrival, i) => {
        if (i === moved) second.resume(first.snapshot(here), there);
        const wanted = told(stays.observe(classIn(here, arrival)));
        const got = i < moved ? first.observe(classIn(here, arrival)) : second.observe(classIn(there, arrival));
        expect(told(got)).toEqual(wanted);
      });
    }
  });
});
