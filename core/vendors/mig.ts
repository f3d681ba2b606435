/** MIG: where an instance of a profile may start on the card, and what it takes (vendors.md, "Slices"). */

export interface MigProfile {
  /** First memory slices allowed, best first: high ones, so that slice 0 stays free for the profiles that need it. */
  readonly starts: readonly number[];
  /** Memory slices taken. */
  readonly size: number;
  /** Thousandths of the card's compute. */
  readonly computeMilli: number;
  /** The card's memory in the proportion of slices taken; the driver's own part is not subtracted. */
  readonly memoryMiB: number;
}

export interface MigTable {
  /** Memory slices of the card. */
  readonly slices: number;
  readonly profiles: ReadonlyMap<string, MigProfile>;
}

/** The shape of a profile, whatever memory the card has. */
interface Shape {
  readonly starts: readonly number[];
  readonly size: number;
  readonly computeSlices: number;
}

/** `1g+` is the one compute slice with double memory. */
const SEVEN: Readonly<Record<string, Shape>> = {
  '1g': { starts: [6, 5, 4, 3, 2, 1, 0], size: 1, computeSlices: 1 },
  '1g+': { starts: [6, 4, 2, 0], size: 2, computeSlices: 1 },
  '2g': { starts: [4, 2, 0], size: 2, computeSlices: 2 },
  '3g': { starts: [4, 0], size: 4, computeSlices: 3 },
  '4g': { starts: [0], size: 4, computeSlices: 4 },
  '7g': { starts: [0], size: 8, computeSlices: 7 },
};

const FOUR: Readonly<Record<string, Shape>> = {
  '1g': { starts: [3, 2, 1, 0], size: 1, computeSlices: 1 },
  '2g': { starts: [2, 0], size: 2, computeSlices: 2 },
  '4g': { starts: [0], size: 4, computeSlices: 4 },
};

/** Seven compute slices over eight memory slices. `names` lists `profile: shape`. */
export function sevenSlices(memoryMiB: number, names: Readonly<Record<string, string>>): MigTable {
  return table(memoryMiB, 8, 7, SEVEN, names);
}

/** Four compute slices over four memory slices (A30, RTX PRO 6000). */
export function fourSlices(memoryMiB: number, names: Readonly<Record<string, string>>): MigTable {
  return table(memoryMiB, 4, 4, FOUR, names);
}

function table(
  memoryMiB: number,
  slices: number,
  computeSlices: number,
  shapes: Readonly<Record<string, Shape>>,
  names: Readonly<Record<string, string>>,
): MigTable {
  const profiles = new Map<string, MigProfile>();
  for (const [name, key] of Object.entries(names)) {
    const shape = shapes[key];
    if (shape === undefined) continue;
    profiles.set(name, {
      starts: shape.starts,
      size: shape.size,
      computeMilli: Math.floor((1000 * shape.computeSlices) / computeSlices),
      memoryMiB: Math.floor((memoryMiB * shape.size) / slices),
    });
  }
  return { slices, profiles };
}

/** `1g.10gb.me` and `1g.10gb+me` (with media engines) take the place of `1g.10gb`. */
export function plainProfile(name: string): string {
  return name.toLowerCase().replace(/[.+-](?:me|gfx)(?:\.all)?$/, '');
}
