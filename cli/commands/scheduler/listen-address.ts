import { BadInput } from '../../terminal/index.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

const PORT_MAX = 65_535;

/** `HOST:PORT`, an IPv6 address in brackets; port 0 is any free one. */
export function listenAddress(text: string): ListenAddress {
  const found = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/i.exec(text);
  const port = Number(found?.[3]);
  if (found === null || port > PORT_MAX) {
    throw new BadInput(`--listen ${text}: expected HOST:PORT, such as 127.0.0.1:10270 or [::1]:10270`);
  }
  return { host: found[1] ?? found[2] ?? '', port };
}
