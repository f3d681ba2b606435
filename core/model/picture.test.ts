import { expect, test } from 'vitest';
import { legendOf, lettersOf, OTHER_LETTER, pictureOf, type PictureCard, type PictureMachine } from './picture.ts';

function card(part: Partial<PictureCard> = {}): PictureCard {
  return { model: 'A100', isUsable: true, holders: [], isWhole: false, filledPercent: 0, ...part };
}

const whole = (holder: string): PictureCard => card({ holders: [holder], isWhole: true, filledPercent: 100 });

function picture(cards: readonly PictureCard[], cardsMissing = 0): string {
  const machine: PictureMachine = { id: 'gpu-a-17', cards, cardsMissing, instances: [] };
  return pictureOf(machine, lettersOf(legendOf([machine])));
}

test('a machine is a line: letters for workloads, a dot for an idle card', () => {
  const cards = [whole('chat'), whole('chat'), whole('asr'), whole('asr'), card(), card(), whole('tts'), card()];
  expect(picture(cards)).toBe('gpu-a-17 A100x8 [b b a a . . c .]');
});

test('an unhealthy card is an x; one that a pod still holds is marked', () => {
  expect(picture([card({ isUsable: false }), { ...whole('chat'), isUsable: false }])).toBe('gpu-a-17 A100x2 [x a!]');
});

test('a card in parts tells its holders and how full it is', () => {
  const parts = (holders: readonly string[], filledPercent: number): PictureCard => card({ holders, filledPercent });
  const cards = [parts(['embed'], 44), parts(['embed', 'chat'], 83), parts(['a', 'b', 'c', 'd'], 100)];
  expect(picture(cards)).toBe('gpu-a-17 A100x3 [(a:44) (ae:83) (bcd+:100)]');
});

test('cards beyond those that are there are told behind the line', () => {
  expect(picture([whole('chat')], 1)).toBe('gpu-a-17 A100x1 [a] +1!');
});

test('mixed models are told one by one, and a machine without cards has empty brackets', () => {
  expect(picture([card(), card({ model: 'L20' }), card({ model: 'L20' })])).toBe('gpu-a-17 A100x1+L20x2 [. . .]');
  expect(picture([])).toBe('gpu-a-17 []');
});

test('letters go to the workloads with most cards; the others share a sign', () => {
  const cards = Array.from({ length: 60 }, (_, index) => whole(`job-${String(index).padStart(2, '0')}`));
  const machine = { id: 'm', cards: [...cards, whole('job-59')], cardsMissing: 0, instances: [] };
  const legend = legendOf([machine]);
  expect(legend[0]).toEqual({ letter: 'a', workload: 'job-59', cards: 2 });
  expect(legend.map(({ letter }) => letter)).not.toContain('x');
  expect(new Set(legend.map(({ letter }) => letter)).size).toBe(legend.length);
  expect(pictureOf({ ...machine, cards: [whole('job-58')] }, lettersOf(legend))).toBe(`m A100x1 [${OTHER_LETTER}]`);
});

test('instances of MIG profiles are counted behind the cards', () => {
  const instances = [{ name: '1g.10gb', total: 14, used: 5 }];
  const machine = { id: 'mig-00', cards: [whole('chat')], cardsMissing: 0, instances };
  expect(pictureOf(machine, new Map([['chat', 'a']]))).toBe('mig-00 A100x1 [a] 1g.10gb 5/14');
});
