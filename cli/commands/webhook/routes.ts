import { type Admit, ADMIT_MS_MAX, admitPods } from '@springtide/adapters/kubernetes/admission';
import { WEBHOOK_PATHS } from '@springtide/adapters/kubernetes/install';
import type { CardCatalogue } from '@springtide/ports/admission';
import { scheduledPod, templatedPods } from '@springtide/services/webhook';

/** A path that a webhook configuration names, and what decides there. */
export interface AdmissionRoute {
  readonly path: string;
  readonly admit: Admit;
  /** What is not decided by then is answered as late. */
  readonly msMax: number;
}

export interface RouteTools {
  readonly catalogue: CardCatalogue;
  /** Ours. */
  readonly schedulerName: string;
}

/** Every path that is served to the API server. */
export function admissionRoutes({ catalogue, schedulerName }: RouteTools): AdmissionRoute[] {
  const scheduled = admitPods((asked) => scheduledPod(asked, schedulerName, catalogue.cards()));
  const templated = admitPods((asked) => templatedPods(asked, schedulerName, catalogue));
  return [
    { path: WEBHOOK_PATHS.pods, admit: scheduled, msMax: ADMIT_MS_MAX },
    { path: WEBHOOK_PATHS.templates, admit: templated, msMax: ADMIT_MS_MAX },
  ];
}
