import { admission } from './en/admission.ts';
import { advice } from './en/advice.ts';
import { cluster } from './en/cluster.ts';
import { doctor } from './en/doctor.ts';
import { explain } from './en/explain.ts';
import { inspect } from './en/inspect.ts';
import { install } from './en/install.ts';
import { job } from './en/job.ts';
import { migrate } from './en/migrate.ts';
import { place } from './en/place.ts';
import { progress } from './en/progress.ts';
import { queue } from './en/queue.ts';
import { quota } from './en/quota.ts';
import { refusal } from './en/refusal.ts';
import { replay } from './en/replay.ts';
import { replayDump } from './en/replay-dump.ts';
import { replayEstimates } from './en/replay-estimates.ts';
import { replayQueues } from './en/replay-queues.ts';
import { report } from './en/report.ts';
import { scaleIn } from './en/scale-in.ts';

/** All messages in English: a file for each subject in the folder `en`, the same in Chinese in `zh`. */
export const en = {
  admission,
  advice,
  cluster,
  doctor,
  explain,
  inspect,
  install,
  job,
  migrate,
  place,
  progress,
  queue,
  quota,
  refusal,
  replay,
  replayDump,
  replayEstimates,
  replayQueues,
  report,
  scaleIn,
} as const;
