/** A broken assumption of our own code: never caught and carried on from, because the book may be wrong. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/** Stays on in production. Use it for what only a bug can break; bad input is a value, not an assertion. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** A failed assertion whose message is costly to make: for paths too hot to build it in vain. */
export function fail(message: string): never {
  throw new AssertionError(message);
}

/** Marks a branch that the types rule out. */
export function unreachable(value: never): never {
  return fail(`unreachable: ${String(value)}`);
}
