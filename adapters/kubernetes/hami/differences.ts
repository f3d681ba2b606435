/**
 * Where this house and HAMi 2.10 differ on purpose, by the name of the vector: the tests fail on a difference that is
 * not here, and on one that is here and no longer is. The page `docs/specs/hami.md` says why.
 */

type Differences = Readonly<Record<string, string>>;

export const PLACEMENT_DIFFERENCES: Differences = {
  'mode-wanted-any-card-with-empty-mode-passes': 'a card that registers no mode counts as cut by HAMi-core',
  'weights-malformed-is-an-error': 'scoring weights are not read, so bad ones refuse nothing',
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

const POLICY_IS_OURS = 'where a pod goes among what is left is for our policy to say';
const WEIGHTS = Array.from({ length: 12 }, (_, index) => `weights-${String(index).padStart(2, '0')}`);

export const SELECTION_DIFFERENCES: Differences = {
  'type-09': 'blanks and hyphens of a product name are one, since node labels show hyphens',
  'policy-07': POLICY_IS_OURS,
  ...Object.fromEntries(WEIGHTS.map((name) => [name, POLICY_IS_OURS])),
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

const AS_LONG_AS_IT_RUNS = 'what init containers need is held as long as the pod runs, as Kubernetes counts';

/** Of what is held once the init containers have ended. */
export const AFTER_INIT_DIFFERENCES: Differences = {
  'nvidia-init-uses-card-app-empty': AS_LONG_AS_IT_RUNS,
  'nvidia-init-larger-than-app-same-card': AS_LONG_AS_IT_RUNS,
  'nvidia-two-init-two-app': AS_LONG_AS_IT_RUNS,
};

const HANDSHAKE = "handshakes are neither read nor written: a plug-in that died shows in the node's allocatable";
const HAMI_ALONE = "HAMi's own affair: no plug-in and no pod reads it";
const BY_WEBHOOK = "environment of the container, which HAMi's webhook and plug-in set";

/** Of HAMi's own names. */
export const KEY_DIFFERENCES: Differences = {
  env_core_policy: BY_WEBHOOK,
  env_task_priority: BY_WEBHOOK,
  fail_reasons: 'why a pod waits is told in words of our own, in Chinese and English',
  node_handshake_nvidia: HANDSHAKE,
  node_lock_expiry_env: "a setting of HAMi's scheduler",
  node_pair_score_nvidia: 'pair scores are not read: links between cards come from the product',
  pod_device_scoring_weights: POLICY_IS_OURS,
  pod_node_scheduler_policy: POLICY_IS_OURS,
  pod_node_scheduler_policy_values: POLICY_IS_OURS,
  scheduler_name_chart_default: 'pods name our scheduler',
  scheduler_role_label: HAMI_ALONE,
  scheduler_role_values: HAMI_ALONE,
  score_weight: HAMI_ALONE,
};

const METAX_QUALITY = 'the quality-of-service annotations of MetaX are not read';

/** Of names by vendor. */
export const SELECTION_KEY_DIFFERENCES: Differences = {
  'Ascend* handshake': HANDSHAKE,
  'Biren handshake': HANDSHAKE,
  'Iluvatar* handshake': HANDSHAKE,
  'Vastai handshake': HANDSHAKE,
  'XPU handshake': HANDSHAKE,
  'Metax-SGPU app_class': METAX_QUALITY,
  'Metax-SGPU qos': METAX_QUALITY,
  'Metax-SGPU topology_aware': POLICY_IS_OURS,
};

/** Of what HAMi says of a vendor. */
export const VENDOR_DIFFERENCES: Differences = {
  'Mthreads to_allocate': 'HAMi has a name for it and never writes it',
  'AWSNeuron resource_core': 'single cores of a Neuron device are not handed out',
};

const EMPTY_KEPT = 'a container without a card keeps its empty entry, which HAMi loses';
const NOTHING_LEFT = 'what is written on a pod goes with its binding: a bind that fails leaves nothing';

/** Of all that is written from the choice to the binding. */
export const BIND_DIFFERENCES: Differences = {
  'two-containers-and-a-sidecar-between': EMPTY_KEPT,
  'init-container-without-card': EMPTY_KEPT,
  'init-container-with-card-app-without': EMPTY_KEPT,
  'mig-two-containers-first-without-card': EMPTY_KEPT,
  'locked-by-a-live-pod-bind-fails-and-the-choice-stays-on-the-pod': NOTHING_LEFT,
  'unreadable-lock-without-comma': NOTHING_LEFT,
  'bare-timestamp-lock-fresh': NOTHING_LEFT,
  'two-part-lock': NOTHING_LEFT,
  'empty-lock-value': NOTHING_LEFT,
  'two-vendors': 'a pod has cards of one kind',
};

/** Of a filter that HAMi asks about whole nodes. */
export const FILTER_DIFFERENCES: Differences = {
  'no-device-request': 'a pod without cards goes where it fits',
  'running-pod-holds-30000-of-40960-full-nodes-true': 'pods that run are always counted',
};

const ALLOCATABLE_ALONE = 'cards that the kubelet does not offer take no pod, whatever the handshake says';

/** Of a node's health by its handshake. */
export const HANDSHAKE_DIFFERENCES: Differences = {
  'requesting-now': ALLOCATABLE_ALONE,
  'requesting-59s': ALLOCATABLE_ALONE,
  'requesting-old-with-dots': ALLOCATABLE_ALONE,
  'requesting-no-underscore': ALLOCATABLE_ALONE,
  'requesting-future': ALLOCATABLE_ALONE,
  'deleted-marker': ALLOCATABLE_ALONE,
  'empty-string': ALLOCATABLE_ALONE,
};

const OURS_ALONE = 'a lock is given back only as it was taken: its whole value is ours';

/** Of a lock that is given back. */
export const RELEASE_DIFFERENCES: Differences = {
  'release-other-forced': "nothing forces a lock that is another pod's",
  'release-bare-timestamp': OURS_ALONE,
  'release-suffix-of-longer-pod-name': OURS_ALONE,
};
