import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { AuditLevel } from './options.ts';

/** The fields of an audit event that tests look at; the rest is there too. */
export interface AuditEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  /** Nobody is named where the request was refused before it was known who asks. */
  readonly user: { readonly username?: string; readonly groups?: readonly string[] };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
    readonly apiVersion?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly reason?: string };
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  /** `authorization.k8s.io/decision` is `allow` or `forbid`. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export function auditPolicy(level: AuditLevel): object {
  return { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'], rules: [{ level }] };
}

/**
 * What the API server has written so far, oldest first, one line at a time: the log of a large run does not fit into
 * one string.
 */
export async function* readAudit(file: string): AsyncGenerator<AuditEvent> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    const event = parsed(line);
    if (event !== null) yield event;
  }
}

/** The last line may not be complete yet. */
function parsed(line: string): AuditEvent | null {
  try {
    return JSON.parse(line) as AuditEvent;
  } catch {
    return null;
  }
}

export function isDenied(event: AuditEvent): boolean {
  return event.annotations?.['authorization.k8s.io/decision'] === 'forbid';
}
