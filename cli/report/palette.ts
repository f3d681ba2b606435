/** Colours that differ in lightness as well as in hue, and dashes, so that a print in grey still tells them apart. */
const COLOURS = ['#0b57a4', '#d1560b', '#0a8f6a', '#8a3ea8', '#8a6d00', '#3f9fd8', '#b8336a', '#5f6670'];
const DASHES = ['', '7 4', '2 3', '10 3 2 3', '5 2', '1 4', '12 4', '4 4 1 4'];

/** Fills of stacked bars: the first says "in use", what is lost comes in warmer tones. */
const FILLS = ['#2f6fb3', '#f0b45a', '#d9663a', '#9fc6a3', '#c9cfd6', '#a98bc4', '#6f7b88', '#e3a1b5'];

export function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length] as string;
}

export function dashOf(index: number): string {
  return DASHES[index % DASHES.length] as string;
}

export function fillOf(index: number): string {
  return FILLS[index % FILLS.length] as string;
}
