import { type Dump, replayed, type ReplayedStep } from '@springtide/services/scheduler';

export interface Outcome {
  readonly steps: number;
  /** Steps decided otherwise than recorded. */
  readonly different: number;
  /** The number of the first of them, from 1; null: there is none. */
  readonly first: number | null;
  /** Steps in which nothing was decided, then as now. */
  readonly quiet: number;
}

/** Decides a dump's steps again; those in which something was decided are told as they are. */
export function replay({ recording }: Dump, tell: (step: ReplayedStep) => void): Outcome {
  let [steps, different, quiet] = [0, 0, 0];
  let first: number | null = null;
  for (const step of replayed(recording)) {
    steps += 1;
    if (!step.isSame) {
      different += 1;
      first ??= step.number;
    }
    if (step.decided.length + step.recorded.length === 0) quiet += 1;
    else tell(step);
  }
  return { steps, different, first, quiet };
}
