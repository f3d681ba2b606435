/** How cards may be cut, written down a second time from the vendors' tables, for the products that tests use. */

/** Where a MIG instance may start, and how many memory slices it takes. */
export interface MigPlaces {
  readonly starts: readonly number[];
  readonly size: number;
}

const SEVEN = {
  one: { starts: [0, 1, 2, 3, 4, 5, 6], size: 1 },
  oneDouble: { starts: [0, 2, 4, 6], size: 2 },
  two: { starts: [0, 2, 4], size: 2 },
  three: { starts: [0, 4], size: 4 },
  four: { starts: [0], size: 4 },
  seven: { starts: [0], size: 8 },
} as const;

const FOUR = {
  one: { starts: [0, 1, 2, 3], size: 1 },
  two: { starts: [0, 2], size: 2 },
  four: { starts: [0], size: 4 },
} as const;

const EIGHTY_GB = {
  '1g.10gb': SEVEN.one,
  '1g.20gb': SEVEN.oneDouble,
  '2g.20gb': SEVEN.two,
  '3g.40gb': SEVEN.three,
  '4g.40gb': SEVEN.four,
  '7g.80gb': SEVEN.seven,
};

export const MIG_PLACES: Readonly<Record<string, Readonly<Record<string, MigPlaces>>>> = {
  'NVIDIA-A100-SXM4-80GB': EIGHTY_GB,
  'NVIDIA-H100-80GB-HBM3': EIGHTY_GB,
  'NVIDIA-A30': { '1g.6gb': FOUR.one, '2g.12gb': FOUR.two, '4g.24gb': FOUR.four },
  'NVIDIA-RTX-PRO-6000': { '1g.24gb': FOUR.one, '2g.48gb': FOUR.two, '4g.96gb': FOUR.four },
};

export interface Sizes {
  readonly memoryMiB: number;
  readonly cores: number;
  /** AI CPUs; 0 where they are not counted. */
  readonly cpus: number;
}

export interface TemplateSizes {
  readonly card: Sizes;
  readonly templates: Readonly<Record<string, Sizes>>;
}

function sizes(memoryMiB: number, cores: number, cpus: number): Sizes {
  return { memoryMiB, cores, cpus };
}

const TWENTY_CORES = {
  card: sizes(65_536, 20, 7),
  templates: { vir05_1c_16g: sizes(16_384, 5, 1), vir10_3c_32g: sizes(32_768, 10, 3) },
};

export const TEMPLATES: Readonly<Record<string, TemplateSizes>> = {
  Ascend310P: {
    card: sizes(21_527, 8, 7),
    templates: { vir01: sizes(3072, 1, 1), vir02: sizes(6144, 2, 2), vir04: sizes(12_288, 4, 4) },
  },
  Ascend910A: {
    card: sizes(32_768, 30, 0),
    templates: {
      vir02: sizes(2184, 2, 0),
      vir04: sizes(4369, 4, 0),
      vir08: sizes(8738, 8, 0),
      vir16: sizes(17_476, 16, 0),
    },
  },
  Ascend910B2: {
    card: sizes(65_536, 24, 6),
    templates: {
      vir03_1c_8g: sizes(8192, 3, 1),
      vir06_1c_16g: sizes(16_384, 6, 1),
      vir12_3c_32g: sizes(32_768, 12, 3),
    },
  },
  Ascend910B3: TWENTY_CORES,
  Ascend910B4: {
    card: sizes(32_768, 20, 7),
    templates: { vir05_1c_8g: sizes(8192, 5, 1), vir10_3c_16g: sizes(16_384, 10, 3) },
  },
};
