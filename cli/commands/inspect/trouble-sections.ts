import { message } from '@springtide/wire/messages';
import { grouped } from '@springtide/wire/reasons';
import { overcommittedText, problemText } from './problem-text.ts';
import { section, type Section, type Telling } from './section.ts';
import { told } from './told.ts';

export function problemSection({ found, language, limits }: Telling): Section {
  const heading = message(language, 'inspect.problems.heading');
  const { problems } = found;
  if (problems.length === 0)
    return section('problems', heading, { lines: [message(language, 'inspect.problems.none')] });
  const lines = problems.map((problem) => problemText(language, problem));
  return section('problems', `${heading} (${grouped(problems.length)})`, { lines: told(language, lines, limits.rows) });
}

export function overcommittedSection({ found, language, limits }: Telling): Section | null {
  const { overcommitted } = found;
  if (overcommitted.length === 0) return null;
  const lines = overcommitted.map((each) => overcommittedText(language, each));
  const heading = `${message(language, 'inspect.problems.overcommitted')} (${grouped(overcommitted.length)})`;
  return section('overcommitted', heading, {
    lines: told(language, lines, limits.rows),
    note: message(language, 'inspect.problems.overcommittedNote'),
  });
}

const KEYS = ['idle', 'unhealthy', 'whole', 'part', 'sick', 'over', 'other'] as const;

/** Every machine as a line, and the key to its letters. */
export function pictureSection({ found, language }: Telling): Section | null {
  const { pictures, legend } = found;
  if (pictures.length === 0) return null;
  const entries = legend.map(({ letter, workload, cards }) =>
    message(language, 'inspect.pictures.legend', { letter, workload, cards }),
  );
  return section('machines', message(language, 'inspect.pictures.heading'), {
    key: KEYS.map((key) => message(language, `inspect.pictures.key.${key}`)),
    legend: entries,
    picture: pictures.map(({ text }) => text),
    note: message(language, 'inspect.pictures.guess'),
  });
}
