import { fourSlices, sevenSlices } from './mig.ts';

/** Profiles by memory size of the card, as NVIDIA names them. */
export const MIG_A30 = fourSlices(24576, { '1g.6gb': '1g', '2g.12gb': '2g', '4g.24gb': '4g' });

export const MIG_40GB = sevenSlices(40960, {
  '1g.5gb': '1g',
  '1g.10gb': '1g+',
  '2g.10gb': '2g',
  '3g.20gb': '3g',
  '4g.20gb': '4g',
  '7g.40gb': '7g',
});

/** `7g.79gb` is what some drivers call the whole A100-80. */
const NAMES_80GB = {
  '1g.10gb': '1g',
  '1g.20gb': '1g+',
  '2g.20gb': '2g',
  '3g.40gb': '3g',
  '4g.40gb': '4g',
  '7g.79gb': '7g',
  '7g.80gb': '7g',
};

export const MIG_A100_80GB = sevenSlices(81920, NAMES_80GB);
export const MIG_H100_80GB = sevenSlices(81559, NAMES_80GB);

export const MIG_94GB = sevenSlices(95830, {
  '1g.12gb': '1g',
  '1g.24gb': '1g+',
  '2g.24gb': '2g',
  '3g.47gb': '3g',
  '4g.47gb': '4g',
  '7g.94gb': '7g',
});

export const MIG_96GB = sevenSlices(97871, {
  '1g.12gb': '1g',
  '1g.24gb': '1g+',
  '2g.24gb': '2g',
  '3g.48gb': '3g',
  '4g.48gb': '4g',
  '7g.96gb': '7g',
});

export const MIG_141GB = sevenSlices(143771, {
  '1g.18gb': '1g',
  '1g.35gb': '1g+',
  '2g.35gb': '2g',
  '3g.71gb': '3g',
  '4g.71gb': '4g',
  '7g.141gb': '7g',
});

export const MIG_180GB = sevenSlices(183359, {
  '1g.23gb': '1g',
  '1g.45gb': '1g+',
  '2g.45gb': '2g',
  '3g.90gb': '3g',
  '4g.90gb': '4g',
  '7g.180gb': '7g',
});

export const MIG_269GB = sevenSlices(275040, {
  '1g.34gb': '1g',
  '1g.67gb': '1g+',
  '2g.67gb': '2g',
  '3g.135gb': '3g',
  '4g.135gb': '4g',
  '7g.269gb': '7g',
});

export const MIG_RTX_PRO = fourSlices(97887, { '1g.24gb': '1g', '2g.48gb': '2g', '4g.96gb': '4g' });
