import type { JobTrouble, PodFailure, ProgressRefusal, RestartDecision, SavedCheckpoint } from '@springtide/core/model';
import { type Language, message, type Said, said } from '../messages/index.ts';
import { durationText, grouped } from './units.ts';

/** Why a heartbeat is not taken, and what would change that. */
export function progressRefusalSaid(refusal: ProgressRefusal): Said {
  switch (refusal.why) {
    case 'stale':
      return said('progress.refused.stale', { incarnation: refusal.incarnation, live: refusal.live });
    case 'not-its-own':
      return said('progress.refused.notItsOwn', { incarnation: refusal.incarnation, started: refusal.started });
    case 'too-often':
      return said('progress.refused.tooOften', { wait: durationText(refusal.retryAfterMs) });
    case 'full': {
      const most = grouped(refusal.most);
      return refusal.what === 'jobs'
        ? said('progress.refused.fullJobs', { most })
        : said('progress.refused.fullPods', { most });
    }
  }
}

/** What is wrong with a job: `its heart has stood still since step 1,200 (training)`. */
export function troubleText(language: Language, trouble: JobTrouble): string {
  if (trouble.kind === 'failed')
    return message(language, 'progress.trouble.failed', { what: endText(language, trouble.failure) });
  const step = grouped(trouble.step);
  const phase = message(language, `progress.phase.${trouble.phase}`);
  if (trouble.kind === 'silent') return message(language, 'progress.trouble.silent', { step, phase });
  return message(language, 'progress.trouble.stalled', { step, phase, allowed: durationText(trouble.allowedMs) });
}

function endText(language: Language, { reason, exitCode }: PodFailure): string {
  if (exitCode === null) return reason;
  if (reason === '' || reason === 'Error') return message(language, 'progress.trouble.code', { code: exitCode });
  return message(language, 'progress.trouble.codeReason', { reason, code: exitCode });
}

/** What becomes of a job in trouble, and why. */
export function restartText(language: Language, decision: RestartDecision): string {
  const trouble = troubleText(language, decision.trouble);
  if (decision.kind === 'give-up') {
    return message(language, 'progress.decided.giveUp', { trouble, why: givenUpText(language, decision) });
  }
  const { from, afterMs, avoid } = decision;
  return message(language, 'progress.decided.restart', {
    trouble,
    wait: durationText(afterMs),
    from: fromText(language, from),
    avoid: avoid.length === 0 ? '' : message(language, 'progress.decided.avoid', { machines: avoid.join(', ') }),
  });
}

function fromText(language: Language, from: SavedCheckpoint | null): string {
  if (from === null) return message(language, 'progress.decided.beginning');
  return message(language, 'progress.decided.checkpoint', { step: grouped(from.step), uri: from.uri });
}

type GivenUp = Extract<RestartDecision, { kind: 'give-up' }>;

function givenUpText(language: Language, { why, fruitless, trouble }: GivenUp): string {
  if (why === 'no-progress') return message(language, 'progress.decided.noProgress', { fruitless: grouped(fruitless) });
  if (why === 'too-many-restarts') return message(language, 'progress.decided.tooMany');
  const reason = trouble.kind === 'failed' ? trouble.failure : { reason: '', exitCode: null, message: '' };
  return message(language, `progress.mend.${remedyOf(reason)}`);
}

function remedyOf({ reason, exitCode }: PodFailure): 'image' | 'config' | 'memory' | 'time' | 'command' | 'program' {
  if (/Image/.test(reason)) return 'image';
  if (reason === 'CreateContainerConfigError') return 'config';
  if (reason === 'OOMKilled') return 'memory';
  if (reason === 'DeadlineExceeded') return 'time';
  return exitCode !== null && exitCode < 128 ? 'command' : 'program';
}
