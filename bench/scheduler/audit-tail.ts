import { closeSync, openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEvent } from '@springtide/testkit/controlplane';

const CHUNK_BYTES = 1 << 20;
const POLL_MS = 250;

/**
 * When pods were made and bound, as the API server itself has written it down: nobody is asked, so that measuring
 * costs the control plane nothing.
 */
export class AuditTail {
  /** By namespace and name, in milliseconds: when the request to make it came, and when its binding was answered. */
  readonly madeAtMs = new Map<string, number>();
  readonly boundAtMs = new Map<string, number>();
  /** Events that were told about pods. */
  eventsCount = 0;
  readonly #file: number;
  #rest = '';

  constructor(path: string) {
    this.#file = openSync(path, 'r');
  }

  /** Waits until so many pods are bound; false: that did not come in time. */
  async untilBound(count: number, timeoutMs: number): Promise<boolean> {
    const endMs = Date.now() + timeoutMs;
    for (this.read(); this.boundAtMs.size < count; this.read()) {
      if (Date.now() > endMs) return false;
      await sleep(POLL_MS);
    }
    return true;
  }

  /** Takes up what has been written since. */
  read(): void {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let bytes = readSync(this.#file, chunk); bytes > 0; bytes = readSync(this.#file, chunk)) {
      // The log is plain ASCII but for what people write, which nobody does here.
      const lines = (this.#rest + chunk.toString('latin1', 0, bytes)).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) if (line.includes('"verb":"create"')) this.#take(JSON.parse(line) as AuditEvent);
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #take({ objectRef, responseStatus, requestReceivedTimestamp, stageTimestamp }: AuditEvent): void {
    if (responseStatus?.code !== 201) return;
    const { resource, subresource, namespace, name } = objectRef ?? {};
    if (resource === 'events') this.eventsCount += 1;
    if (resource !== 'pods') return;
    const key = `${namespace}/${name}`;
    if (subresource === 'binding') this.boundAtMs.set(key, microsOf(stageTimestamp) / 1000);
    else if (subresource === undefined) this.madeAtMs.set(key, microsOf(requestReceivedTimestamp) / 1000);
  }
}

/** Microseconds since 1970 of a time such as `2026-01-02T03:04:05.123456Z`. */
function microsOf(time: string): number {
  const [seconds = '', fraction = ''] = time.slice(0, -1).split('.');
  return Date.parse(`${seconds}Z`) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}
