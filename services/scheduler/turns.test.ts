import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('so many of a key at once, in order; another key does not wait for them', async () => {
  const turns = new Turns(2);
  const done: string[] = [];
  const take = (key: string, name: string): Promise<void> => turns.take(key).then(() => void done.push(name));
  void take('a', 'a1');
  void take('a', 'a2');
  const third = take('a', 'a3');
  const fourth = take('a', 'a4');
  await take('b', 'b1');
  expect(done).toEqual(['a1', 'a2', 'b1']);
  turns.give('a');
  await third;
  turns.give('a');
  await fourth;
  expect(done).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  turns.give('a');
  turns.give('a');
  await take('a', 'a5');
  expect(done.at(-1)).toBe('a5');
});
