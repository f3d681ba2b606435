import { expect, test } from 'vitest';
import { Suspects } from './suspects.ts';

const HOUR = 3_600_000;

test('R1: a job keeps off the machine that failed it for an hour, longer if it fails again', () => {
  const suspects = new Suspects();
  suspects.suspect('m', 'j', 0);
  expect(suspects.avoidedBy('j', HOUR - 1)).toEqual(['m']);
  expect(suspects.avoidedBy('j', HOUR)).toEqual([]);
  expect(suspects.avoidedBy('other', 0)).toEqual([]);
  suspects.suspect('m', 'j', HOUR - 1);
  expect(suspects.avoidedBy('j', 3 * HOUR - 2)).toEqual(['m']);
  for (let strike = 0; strike < 40; strike += 1) suspects.suspect('m', 'j', HOUR);
  expect(suspects.avoidedBy('j', 25 * HOUR)).toEqual([]);
});

test('R1: all jobs keep off a machine on which two had trouble, and forget it when it has expired', () => {
  const suspects = new Suspects();
  suspects.suspect('m', 'j', 0);
  suspects.suspect('m', 'k', 1);
  expect(suspects.avoidedBy('other', 2)).toEqual(['m']);
  suspects.suspect('m', 'other', 10 * HOUR);
  expect(suspects.avoidedBy('j', 10 * HOUR)).toEqual([]);
});

test('as many machines are remembered as may be, and a job is told of sixteen', () => {
  const suspects = new Suspects();
  for (let index = 0; index < 5000; index += 1) suspects.suspect(`m${index}`, 'j', index);
  const avoided = suspects.avoidedBy('j', 5000);
  expect([avoided.length, avoided[0]]).toEqual([16, 'm4999']);
  expect(suspects.avoidedBy('j', HOUR + 903)).toContain('m4999');
});
