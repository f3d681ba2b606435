/** To the thousandth, as lines of JSON have figures. */
export function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1000) / 1000;
}
