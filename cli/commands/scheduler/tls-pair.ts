import { readFileSync } from 'node:fs';
import type { TlsPair } from '@springtide/adapters/http';
import { BadInput } from '../../terminal/index.ts';

export interface TlsOptions {
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** The certificate and key that options name; null: plain HTTP. Throws `BadInput`. */
export function tlsPairOf({ tlsCert, tlsKey }: TlsOptions): TlsPair | null {
  if (tlsCert === undefined && tlsKey === undefined) return null;
  if (tlsCert === undefined || tlsKey === undefined) throw new BadInput('--tls-cert and --tls-key go together');
  return { cert: contentOf('--tls-cert', tlsCert), key: contentOf('--tls-key', tlsKey) };
}

function contentOf(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new BadInput(`${option} ${path}: ${(error as Error).message}`);
  }
}
