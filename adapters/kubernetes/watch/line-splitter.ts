/**
 * Cuts a stream of bytes into lines, wherever it comes apart. Bounded: of a line that does not end within
 * `lineBytesMax` nothing more is kept, and `overflowed` stays true.
 */
export class LineSplitter {
  readonly #lineBytesMax: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #overflowed = false;

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax;
  }

  /** A line was too long: the stream is of no more use. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  /** Bytes of a line that has not ended yet. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** The lines that this chunk ends, without their newlines; empty ones are left out. */
  push(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1 && !this.#overflowed; end = chunk.indexOf(0x0a, start)) {
      const line = this.#finish(chunk.subarray(start, end));
      if (line.length > 0) lines.push(line);
      start = end + 1;
    }
    if (!this.#overflowed && start < chunk.length) this.#keep(chunk.subarray(start));
    return lines;
  }

  #finish(last: Buffer): Buffer {
    if (this.#pendingBytes + last.length > this.#lineBytesMax) return this.#overflow();
    if (this.#pending.length === 0) return last;
    const line = Buffer.concat([...this.#pending, last]);
    this.#forget();
    return line;
  }

  #keep(part: Buffer): void {
    this.#pending.push(part);
    this.#pendingBytes += part.length;
    if (this.#pendingBytes > this.#lineBytesMax) this.#overflow();
  }

  #overflow(): Buffer {
    this.#overflowed = true;
    this.#forget();
    return Buffer.alloc(0);
  }

  #forget(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
