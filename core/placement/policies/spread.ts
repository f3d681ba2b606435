import type { Book } from '../../state/index.ts';
import type { Policy } from '../policy.ts';
import { askedMilli, cardsLeftMilli, simplePolicy } from './simple.ts';

/**
 * Kubernetes' default: LeastAllocated over CPU, memory and cards, the mean share left after the pod, 0 to 100.
 * Method: kube-scheduler, NodeResourcesFit scoring.
 */
export function spread(book: Book): Policy {
  const policy = simplePolicy('spread', book, (requestClass, machine) => {
    const { cpuMilli, memoryBytes, cards } = book.machines[machine] as Book['machines'][number];
    const left = [
      share((book.cpuFreeMilli[machine] as number) - requestClass.cpuMilli, cpuMilli),
      share((book.memoryFreeBytes[machine] as number) - requestClass.memoryBytes, memoryBytes),
    ];
    if (requestClass.count > 0) {
      const after = cardsLeftMilli(book, machine) - askedMilli(book, requestClass, machine);
      left.push(share(after, cards.length * 1000));
    }
    return Math.floor(left.reduce((sum, part) => sum + part, 0) / left.length);
  });
  return { ...policy, readsMemory: true };
}

function share(left: number, capacity: number): number {
  return capacity > 0 && left > 0 ? Math.floor((left * 100) / capacity) : 0;
}
