import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import { failureOfAnswer } from '../client/status.ts';
import { InputFault } from '../fault.ts';
import { type Fields, fieldsAt, fieldsOf, integerAt, requiredTextAt, textAt } from '../fields.ts';

/** One line of a watch. */
export type WatchLine =
  | { readonly type: 'seen' | 'gone'; readonly object: Fields }
  | { readonly type: 'bookmark'; readonly resourceVersion: string }
  | { readonly type: 'failed'; readonly failure: ClusterFailure };

export function watchLineOf(line: Buffer): WatchLine {
  try {
    const fields = fieldsOf(JSON.parse(line.toString('utf8')), null);
    return typedLine(textAt(fields, 'type'), fieldsAt(fields, 'object'));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof InputFault)) throw error;
    return { type: 'failed', failure: clusterFailure('malformed', 'a line of the watch cannot be read') };
  }
}

function typedLine(type: string, object: Fields): WatchLine {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      return { type: 'seen', object };
    case 'DELETED':
      return { type: 'gone', object };
    case 'BOOKMARK':
      return { type: 'bookmark', resourceVersion: requiredTextAt(fieldsAt(object, 'metadata'), 'resourceVersion') };
    case 'ERROR': {
      const code = integerAt(object, 'code', { absent: 500, min: 100, max: 599 });
      return { type: 'failed', failure: failureOfAnswer(code, object.values) };
    }
    default:
      return {
        type: 'failed',
        failure: clusterFailure('malformed', `a watch tells nothing of "${type.slice(0, 40)}"`),
      };
  }
}
