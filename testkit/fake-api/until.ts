/** Waits until a condition holds; fails loudly when it never does. */
export async function until(condition: () => boolean, what: string, limitMs = 10_000): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`waited ${limitMs} ms in vain until ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
}
