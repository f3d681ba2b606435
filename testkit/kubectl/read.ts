import { type Dump, type DumpOptions, inputErrorText, parseDump } from '@springtide/adapters/kubernetes';
import { type Json, kubeList } from './objects.ts';

/** What the reader makes of these objects; throws where it refuses them. */
export function dumpOf(items: readonly Json[], options: DumpOptions = {}): Dump {
  const read = parseDump([['dump.json', Buffer.from(kubeList(items))]], options);
  if (!read.ok) throw new Error(inputErrorText(read.error));
  return read.value;
}
