import type { Rule } from '../rule.ts';
import { fileNames } from './file-names.ts';
import { imports } from './imports.ts';
import { leftovers } from './leftovers.ts';
import { length } from './length.ts';
import { messages } from './messages.ts';
import { pages } from './pages.ts';
import { privatePlaces } from './private-places.ts';
import { purity } from './purity.ts';
import { suppressions } from './suppressions.ts';
import { titles } from './titles.ts';

export const rules: readonly Rule[] = [
  imports,
  purity,
  length,
  leftovers,
  suppressions,
  fileNames,
  messages,
  pages,
  titles,
  privatePlaces,
];
