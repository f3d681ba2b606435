import type { Clock } from '@springtide/ports/clock';
import { InputFault, inputError } from '../fault.ts';
import { type AdmissionAnswer, responseOf } from './answer.ts';
import { type AdmissionRequest, admissionRequestOf, REVIEW_VERSION } from './request.ts';

/** Decides on one request. What it throws, but for an `InputFault` of the object, is a bug, and is answered as one. */
export type Admit = (request: AdmissionRequest) => AdmissionAnswer | Promise<AdmissionAnswer>;

/** What became of a request, for metrics. `malformed`: no AdmissionReview. */
export type Outcome = 'allowed' | 'changed' | 'denied' | 'late' | 'failed' | 'malformed';

export interface Admission {
  /** Of the HTTP answer: what is not 200 makes the API server follow the webhook's failure policy. */
  readonly status: number;
  readonly outcome: Outcome;
  /** JSON, or a sentence where the status is not 200. */
  readonly body: string;
}

/**
 * The API server waits no longer than the configuration says, five seconds and ten: an answer after that helps nobody.
 * Whoever marks pods before a scale-in is let through writes on many.
 */
export const ADMIT_MS_MAX = 4000;
export const SCALE_IN_MS_MAX = 9000;

/** Answers one AdmissionReview as it was posted, within so long. Never throws. */
export async function admitted(posted: Buffer, admit: Admit, clock: Clock, msMax: number): Promise<Admission> {
  let request: AdmissionRequest;
  try {
    request = admissionRequestOf(JSON.parse(posted.toString('utf8')));
  } catch (error) {
    const why = error instanceof InputFault ? textOf(error) : 'expected JSON';
    return { status: 400, outcome: 'malformed', body: why };
  }
  const late = Promise.withResolvers<null>();
  const cancel = clock.after(msMax, () => late.resolve(null));
  try {
    const answer = await Promise.race([answerOf(request, admit), late.promise]);
    if (answer === null) return { status: 504, outcome: 'late', body: `no answer within ${msMax} ms` };
    const review = { apiVersion: REVIEW_VERSION, kind: 'AdmissionReview', response: responseOf(request.uid, answer) };
    return { status: 200, outcome: outcomeOf(answer), body: JSON.stringify(review) };
  } catch (error) {
    return { status: 500, outcome: 'failed', body: String(error) };
  } finally {
    cancel();
  }
}

/** An object that cannot be read is none that a cluster should have. */
async function answerOf(request: AdmissionRequest, admit: Admit): Promise<AdmissionAnswer> {
  try {
    return await admit(request);
  } catch (error) {
    if (!(error instanceof InputFault)) throw error;
    return { answer: 'denied', message: textOf(error) };
  }
}

function outcomeOf(answer: AdmissionAnswer): Outcome {
  if (answer.answer === 'denied') return 'denied';
  return answer.patch.length > 0 ? 'changed' : 'allowed';
}

function textOf(fault: InputFault): string {
  const { path, expected, found } = inputError(fault, { file: '', line: null, column: null, subject: '' });
  return `${path === '' ? '' : `${path}: `}expected ${expected}${found === '' ? '' : `, found ${found}`}`;
}
