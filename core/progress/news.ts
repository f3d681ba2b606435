import type { JobTrouble, RestartDecision, SavedCheckpoint } from '../model/index.ts';
import type { ProgressRecord } from './record.ts';

/** What follows from heartbeats. */
export type ProgressNews =
  /** What the job would go on from has changed; null: from the beginning, since none is whole any more. */
  | {
      readonly kind: 'checkpointed';
      readonly job: string;
      readonly incarnation: number;
      readonly checkpoint: SavedCheckpoint | null;
    }
  /** Something is wrong. `suspects`: machines that may be the cause. */
  | {
      readonly kind: 'troubled';
      readonly job: string;
      readonly incarnation: number;
      readonly trouble: JobTrouble;
      readonly suspects: readonly string[];
    }
  /** It does steps again, of itself. */
  | { readonly kind: 'recovered'; readonly job: string; readonly incarnation: number; readonly afterMs: number }
  /** This incarnation is over. `record` is to be kept before anything is done about it. */
  | {
      readonly kind: 'decided';
      readonly job: string;
      readonly incarnation: number;
      readonly decision: RestartDecision;
      readonly record: ProgressRecord;
    };
