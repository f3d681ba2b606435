import { templates } from './templates.ts';
import { type CardResource, model, slicedBy, type Vendor, wholeCards } from './vendor.ts';

/** HAMi's plug-in counts under the chip's own name; memory is MiB and is rounded up to a template. */
function chip(name: string): CardResource {
  const resource = `huawei.com/${name}`;
  const slices = slicedBy({ memory: `${resource}-memory`, compute: `${resource}-core`, isOneCard: true });
  return wholeCards(resource, slices, name);
}

const B3 = templates(
  [65536, 20, 7],
  [
    ['vir05_1c_16g', 16384, 5, 1],
    ['vir10_3c_32g', 32768, 10, 3],
  ],
);

export const ASCEND: Vendor = {
  name: 'ascend',
  cards: [
    wholeCards('huawei.com/Ascend910'),
    wholeCards('huawei.com/Ascend310'),
    chip('Ascend310P'),
    chip('Ascend910A'),
    chip('Ascend910B'),
    chip('Ascend910B2'),
    chip('Ascend910B3'),
    chip('Ascend910B4'),
    chip('Ascend910B4-1'),
    // Two chips make a module, and are given out together.
    { ...chip('Ascend910C'), step: 2 },
  ],
  otherResources: [],
  // Static vNPU, such as `huawei.com/Ascend910-2c` and `huawei.com/Ascend310P-4c.3cpu`.
  instances: /^huawei\.com\/Ascend[^-/]+-\d+c(?:\.|$)/,
  modelLabels: ['node.kubernetes.io/npu.chip.name', 'accelerator-type'],
  memoryLabel: '',
  models: [
    model(['910A'], 32768, {
      // Two HCCS rings of four.
      islandSize: 4,
      templates: templates(
        [32768, 30, 0],
        [
          ['vir02', 2184, 2, 0],
          ['vir04', 4369, 4, 0],
          ['vir08', 8738, 8, 0],
          ['vir16', 17476, 16, 0],
        ],
      ),
    }),
    model(['910B2'], 65536, {
      templates: templates(
        [65536, 24, 6],
        [
          ['vir03_1c_8g', 8192, 3, 1],
          ['vir06_1c_16g', 16384, 6, 1],
          ['vir12_3c_32g', 32768, 12, 3],
        ],
      ),
    }),
    model(['910B3'], 65536, { templates: B3 }),
    // Before 910B4: the hyphen of 910B4-1 parts its name into two words.
    model(['910B4', '1'], 65536, { templates: B3 }),
    model(['910C'], 65536, { usualCards: 16, templates: B3 }),
    model(['910B4'], 32768, {
      templates: templates(
        [32768, 20, 7],
        [
          ['vir05_1c_8g', 8192, 5, 1],
          ['vir10_3c_16g', 16384, 10, 3],
        ],
      ),
    }),
    model(['310P'], 21527, { islandSize: 1, templates: ascend310p() }),
    model(['310P3'], 21527, { islandSize: 1, templates: ascend310p() }),
  ],
};

/** 24,576 MiB on the board, of which 21,527 can be given out. */
function ascend310p(): ReturnType<typeof templates> {
  return templates(
    [21527, 8, 7],
    [
      ['vir01', 3072, 1, 1],
      ['vir02', 6144, 2, 2],
      ['vir04', 12288, 4, 4],
    ],
    24576,
  );
}
