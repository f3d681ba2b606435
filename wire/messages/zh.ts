import type { en } from './en.ts';
import type { Translated } from './translated.ts';
import { admission } from './zh/admission.ts';
import { advice } from './zh/advice.ts';
import { cluster } from './zh/cluster.ts';
import { doctor } from './zh/doctor.ts';
import { explain } from './zh/explain.ts';
import { inspect } from './zh/inspect.ts';
import { install } from './zh/install.ts';
import { job } from './zh/job.ts';
import { migrate } from './zh/migrate.ts';
import { place } from './zh/place.ts';
import { progress } from './zh/progress.ts';
import { queue } from './zh/queue.ts';
import { quota } from './zh/quota.ts';
import { refusal } from './zh/refusal.ts';
import { replay } from './zh/replay.ts';
import { replayDump } from './zh/replay-dump.ts';
import { replayEstimates } from './zh/replay-estimates.ts';
import { replayQueues } from './zh/replay-queues.ts';
import { report } from './zh/report.ts';
import { scaleIn } from './zh/scale-in.ts';

export const zh: Translated<typeof en> = {
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
};
