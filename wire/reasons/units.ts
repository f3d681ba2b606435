/** Numbers of the nouns as people read them. The same in both languages. */

/** Groups of thousands: `12,345`. */
export function grouped(value: number): string {
  const [whole = '', fraction] = String(Math.abs(value)).split('.');
  const digits = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const text = fraction === undefined ? digits : `${digits}.${fraction}`;
  return value < 0 ? `−${text}` : text;
}

/** Cores with as many decimals as they have: `3`, `0.5`. */
export function coresText(milli: number): string {
  return grouped(milli / 1000);
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Bytes in the largest unit that leaves a whole part, one decimal, rounded up: what is missing is not understated. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${grouped(Math.ceil(value * 10) / 10)} ${UNITS[unit]}`;
}

export function mibText(mib: number): string {
  return `${grouped(mib)} MiB`;
}

/** Thousandths as percent, with the one decimal they may have. */
export function percentText(milli: number): string {
  return `${grouped(milli / 10)} %`;
}

/** A duration in the unit that people would use, rounded up: `90 s`, `15 min`, `2 h`. */
export function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${grouped(Math.ceil(minutes / 60))} h`;
}
