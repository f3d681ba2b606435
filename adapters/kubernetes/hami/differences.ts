/**
 * Where this house and HAMi 2.10 differ on purpose, by the name of the vector: the tests fail on a difference that is
 * not here, and on one that is here and no longer is. The page `docs/specs/hami.md` says why.
 */

type Differences = Readonly<Record<string, string>>;

const QUOTA = 'HAMi counts ResourceQuota keys `limits.*` when it places; here quotas are not placement';

export const PLACEMENT_DIFFERENCES: Differences = {
  'mode-wanted-any-card-with-empty-mode-passes': 'a card that registers no mode counts as cut by HAMi-core',
  'weights-malformed-is-an-error': 'scoring weights are not read, so bad ones refuse nothing',
  'quota-short': QUOTA,
  'quota-counts-each-card': QUOTA,
  'quota-zero-blocks': QUOTA,
  'mig-cores-request-still-filters': 'the profile takes the place of the cores asked for, so they do not refuse',
};

const ZERO_IS_UNSAID = 'a size of zero says nothing, and a count alone is a whole card';
const NEGATIVE = 'Kubernetes itself refuses negative quantities and parts of a card, so they are refused here too';
const CHART = "settings of HAMi's chart are not known here: a request means what it says";
const SIZE_ALONE = 'a size without a count is one card of every vendor, not of NVIDIA alone';

export const REQUEST_DIFFERENCES: Differences = {
  'NVIDIA-05': ZERO_IS_UNSAID,
  'NVIDIA-07': ZERO_IS_UNSAID,
  'NVIDIA-18': NEGATIVE,
  'NVIDIA-28': 'more than 16 TiB on a card is a mistake',
  'NVIDIA-35': NEGATIVE,
  'NVIDIA-41': 'Kubernetes refuses extended resources whose requests and limits differ',
  'NVIDIA-42': CHART,
  'NVIDIA-43': CHART,
  'NVIDIA-47': CHART,
  'NVIDIA-49': CHART,
  'NVIDIA-50': CHART,
  'NVIDIA-54': CHART,
  'NVIDIA-55': CHART,
  'AMD-01': 'a count alone is a whole card, with its memory',
  'AMD-03': 'zero cores are none asked for, as with the other vendors',
  'AMD-04': SIZE_ALONE,
  'AWSNeuron-02': 'single cores of a Neuron device are not handed out',
  'DCU-05': SIZE_ALONE,
  'Enflame-06': 'cores beyond the whole card are the whole card, as with the other vendors',
  'MLU-04': SIZE_ALONE,
  'MR-V100-01': 'a count alone is a whole card, with its compute',
  'Metax-SGPU-05': '`4k` is 4,000 GiB, which no card has, and not the whole card',
  'Metax-SGPU-08': 'the quality-of-service annotation of MetaX is not read',
  'Mthreads-03': 'a size that is not served is rounded up to the next one, and charged so',
  'XPU-05': 'more than a card has is refused, and not cut down to the card',
};

/** Of these, what HAMi's webhook writes on the pod says the same to both. */
export const SETTLED_BY_WEBHOOK: ReadonlySet<string> = new Set(['NVIDIA-55', 'XPU-05']);

export const SELECTION_DIFFERENCES: Differences = {
  'type-09': 'blanks and hyphens of a product name are one, since node labels show hyphens',
};

const BOTH_ENCODINGS = 'HAMi reads one encoding for each vendor, here both are read wherever they are';
const BAD_SCORES = 'pair scores are not read, so bad ones hide no card';

export const REGISTER_DIFFERENCES: Differences = {
  'nvidia-legacy-encoder-read-by-json-decoder': BOTH_ENCODINGS,
  'hygon-json-read-by-legacy-decoder': BOTH_ENCODINGS,
  'nvidia-decode-18': BOTH_ENCODINGS,
  'nvidia-decode-15': '`1e3` is the whole number that it says',
  'nvidia-pair-score-bad-json-hides-all-devices': BAD_SCORES,
  'nvidia-pair-score-empty-string-hides-all-devices': BAD_SCORES,
};

const STILL_HELD = 'an instance that is told incompletely still holds its place on the card';

export const POD_DIFFERENCES: Differences = {
  'aws-neuron-writes-only-allocated': 'single cores of a Neuron device are not handed out, so devices are named',
  'decode-two-vendors-one-bad-loses-both': 'one value that cannot be read does not lose those of other kinds',
  'mig-allocations-decode-05': STILL_HELD,
  'mig-allocations-decode-06': STILL_HELD,
  'mig-allocations-decode-08': STILL_HELD,
};
