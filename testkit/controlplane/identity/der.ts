/**
 * The few forms of DER that a certificate consists of. Each value is a tag, a length and its content.
 */
export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

export function sequence(...content: readonly Uint8Array[]): Buffer {
  return der(0x30, ...content);
}

export function set(...content: readonly Uint8Array[]): Buffer {
  return der(0x31, ...content);
}

/** A positive number, from its bytes. */
export function integer(bytes: Uint8Array): Buffer {
  // The highest bit is the sign.
  return der(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.from([0]) : Buffer.alloc(0), bytes);
}

/** An object identifier such as `2.5.4.3`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** Seven bits a byte; all but the last have the highest bit set. */
function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}

export function text(value: string): Buffer {
  return der(0x0c, Buffer.from(value, 'utf8'));
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return der(0x03, Buffer.from([unusedBits]), bytes);
}

export function octetString(bytes: Uint8Array): Buffer {
  return der(0x04, bytes);
}

export const yes = der(0x01, Buffer.from([0xff]));

/** A moment as `YYMMDDhhmmssZ`, which ends in 2049. */
export function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

/** A value below a tag of its context, such as `[3]`. */
export function tagged(number: number, ...content: readonly Uint8Array[]): Buffer {
  return der(0xa0 | number, ...content);
}
