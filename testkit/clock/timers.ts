export interface Timer {
  readonly dueMs: number;
  /** Of two that are due at once the one set first fires first. */
  readonly order: number;
  readonly callback: () => void;
  isCancelled: boolean;
}

/** Timers by the time at which they are due: a binary heap. Cancelled ones are passed over when they come up. */
export class Timers {
  readonly #heap: Timer[] = [];

  add(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(timer, heap[parent] as Timer)) break;
      heap[at] = heap[parent] as Timer;
      at = parent;
    }
    heap[at] = timer;
  }

  /** Takes the first that is due by then; null: none is. */
  takeDue(nowMs: number): Timer | null {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || (!first.isCancelled && first.dueMs > nowMs)) return null;
      this.#removeFirst();
      if (!first.isCancelled) return first;
    }
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop() as Timer;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= heap.length) break;
      const right = left + 1;
      const child = right < heap.length && isBefore(heap[right] as Timer, heap[left] as Timer) ? right : left;
      if (!isBefore(heap[child] as Timer, last)) break;
      heap[at] = heap[child] as Timer;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(left: Timer, right: Timer): boolean {
  return left.dueMs === right.dueMs ? left.order < right.order : left.dueMs < right.dueMs;
}
