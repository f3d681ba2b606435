import type { Mend, PodFailure } from '../model/index.ts';

/**
 * Kubernetes' words for why a container ended or does not begin, or why a pod was taken off its machine, where they
 * tell whether a retry helps. Sources: the constants of kubelet (`pkg/kubelet/images/types.go`,
 * `pkg/kubelet/kuberuntime`, `pkg/kubelet/eviction`, `pkg/kubelet/lifecycle`) and of the core API.
 */
const REASONS: ReadonlyMap<string, Mend> = new Map([
  // What the pod asks for is wrong.
  ['InvalidImageName', 'never'],
  ['CreateContainerConfigError', 'never'],
  ['DeadlineExceeded', 'never'],
  // Its memory limit is the same everywhere; a leak takes its time.
  ['OOMKilled', 'if-fruitful'],
  // The machine's doing.
  ['StartError', 'elsewhere'],
  ['ContainerCannotRun', 'elsewhere'],
  ['CreateContainerError', 'elsewhere'],
  ['RunContainerError', 'elsewhere'],
  ['ErrImageNeverPull', 'elsewhere'],
  ['Evicted', 'elsewhere'],
  ['NodeLost', 'elsewhere'],
  ['NodeShutdown', 'elsewhere'],
  ['Terminated', 'elsewhere'],
  ['UnexpectedAdmissionError', 'elsewhere'],
]);

/** An image that no registry will ever give, as registries and runtimes say it. */
const NO_IMAGE =
  /not found|manifest unknown|does not exist|unauthorized|denied|authentication required|invalid reference/i;

/**
 * Exit codes of which it is known whether a retry helps: those of shells (POSIX, 126 and on) and of signals (128 + n).
 * Kubeflow's training operator draws the line at 128, all below it being final; but a Python program ends with 1
 * whatever befell it, a broken link to another machine too, so that 1 is tried again while it bears fruit or, at
 * first, elsewhere.
 */
const EXIT_CODES: ReadonlyMap<number, Mend> = new Map([
  // Wrong arguments: argparse, getopt, a shell's syntax.
  [2, 'never'],
  // No such program, or none that may run.
  [126, 'never'],
  [127, 'never'],
  // SIGILL: not built for this machine. SIGBUS: shared memory too small, or a bad page. SIGFPE. SIGSEGV.
  [132, 'once'],
  [135, 'once'],
  [136, 'once'],
  [139, 'once'],
]);

/** How far a retry can mend a failure; what is not known is tried elsewhere, within the caps of restarts. */
export function mendOf({ reason, exitCode, message }: PodFailure): Mend {
  if (reason === 'ImagePullBackOff' || reason === 'ErrImagePull') return NO_IMAGE.test(message) ? 'never' : 'elsewhere';
  const byReason = REASONS.get(reason);
  if (byReason !== undefined) return byReason;
  return (exitCode === null ? undefined : EXIT_CODES.get(exitCode)) ?? 'elsewhere';
}
