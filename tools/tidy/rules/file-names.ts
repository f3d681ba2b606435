import { posix } from 'node:path';
import { ruleForEach } from '../rule.ts';

/** Names that say nothing about what is inside. */
const empty = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'shared-utils']);

/** A file is called what it is about, in lower case with dashes. */
export const fileNames = ruleForEach(
  'file-names',
  (file) => file.isCode,
  function* remarks(file) {
    const [stem = ''] = posix.basename(file.path).split('.');
    if (empty.has(stem)) yield { line: 1, why: `"${stem}" says nothing: name the file after what it is about` };
    if (stem !== stem.toLowerCase() || stem.includes('_'))
      yield { line: 1, why: 'write the name in lower-case-with-dashes' };
  },
);
