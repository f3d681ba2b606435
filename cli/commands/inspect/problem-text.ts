import type { Overbooked, Problem } from '@springtide/adapters/kubernetes';
import { message, type Language } from '@springtide/wire/messages';
import { bytesText, coresText, grouped, mibText, percentText } from '@springtide/wire/reasons';

/** One problem of the cluster as a sentence. */
export function problemText(language: Language, problem: Problem): string {
  switch (problem.problem) {
    case 'overbooked':
      return overbookedText(language, problem);
    case 'malformed': {
      const { node, pod, annotation } = problem;
      if (pod !== undefined) return message(language, 'inspect.problems.malformedPod', { pod, annotation });
      return message(language, 'inspect.problems.malformedNode', { node: node ?? '', annotation });
    }
    case 'duplicate': {
      const { node = '', pod, card } = problem;
      if (card !== undefined) return message(language, 'inspect.problems.duplicateCard', { node, card });
      if (pod !== undefined) return message(language, 'inspect.problems.duplicatePod', { pod });
      return message(language, 'inspect.problems.duplicateNode', { node });
    }
    case 'unknown-node':
      return message(language, 'inspect.problems.unknownNode', { pod: problem.pod, node: problem.node });
    case 'unknown-card': {
      const { pod, node, card } = problem;
      return message(language, 'inspect.problems.unknownCard', { pod, node, card });
    }
    case 'no-pods':
      return message(language, 'inspect.problems.noPods');
    case 'bad-label': {
      const { node, label, value, most } = problem;
      return message(language, 'inspect.problems.badLabel', { node, label, value, most });
    }
    case 'unregistered':
      return message(language, 'inspect.problems.unregistered', { node: problem.node, resource: problem.resource });
  }
}

function overbookedText(language: Language, { node, resource, card, group, held, healthy, unit }: Overbooked): string {
  if (group !== undefined) {
    return message(language, 'inspect.problems.overbookedGroup', { node, group, held: percentText(held) });
  }
  if (card !== undefined) {
    const [heldText, sizeText] = [held, healthy].map((amount) => cardAmount(language, amount, unit));
    return message(language, 'inspect.problems.overbookedCard', {
      node,
      card,
      held: heldText ?? '',
      healthy: sizeText ?? '',
    });
  }
  const amounts = { node, held: grouped(held), healthy: grouped(healthy) };
  if (resource === undefined) return message(language, 'inspect.problems.overbooked', amounts);
  return message(language, 'inspect.problems.overbookedResource', { ...amounts, resource });
}

function cardAmount(language: Language, amount: number, unit: Overbooked['unit']): string {
  if (unit === 'MiB') return mibText(amount);
  if (unit === 'computeMilli') return percentText(amount);
  return message(language, 'inspect.problems.podsUnit', { count: grouped(amount) });
}

/** More held of CPU, memory or another resource than a machine may give. */
export function overcommittedText(language: Language, { node, resource = '', held, healthy }: Overbooked): string {
  const text = resource === 'cpu' ? coresText : resource === 'memory' ? bytesText : grouped;
  const name =
    resource === 'cpu' || resource === 'memory' ? message(language, `inspect.problems.${resource}`) : resource;
  const values = { node, resource: name, held: text(held), size: text(healthy) };
  return message(language, 'inspect.problems.overcommittedLine', values);
}
