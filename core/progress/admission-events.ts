import type { AdmissionEvent } from '../admission/index.ts';
import type { ProgressNews } from './news.ts';

/** What admission hears of news of a job's progress, in this order. `wallMs`: now, by the clock on the wall. */
export function admissionEvents(news: ProgressNews, wallMs: number): AdmissionEvent[] {
  const { job, incarnation } = news;
  switch (news.kind) {
    case 'troubled':
    case 'recovered':
      return [];
    case 'checkpointed':
      return [{ kind: 'job-checkpointed', job, incarnation, checkpoint: news.checkpoint }];
    case 'decided': {
      const { decision } = news;
      if (decision.kind === 'give-up') return [{ kind: 'job-ended', job, incarnation, isFailed: true }];
      const retryAtMs = wallMs + decision.afterMs;
      // It may be an older one than was told last: the newest may have failed twice.
      return [
        { kind: 'job-checkpointed', job, incarnation, checkpoint: decision.from },
        { kind: 'job-failed', job, incarnation, avoids: decision.avoid, retryAtMs },
      ];
    }
  }
}
