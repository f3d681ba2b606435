import { type Admit, admitPods } from '@springtide/adapters/kubernetes/admission';
import { WEBHOOK_PATHS } from '@springtide/adapters/kubernetes/install';
import type { CardCatalogue } from '@springtide/ports/admission';
import { scheduledPod, templatedPods } from '@springtide/services/webhook';

/** A path that a webhook configuration names, and what decides there. */
export interface AdmissionRoute {
  readonly path: string;
  readonly admit: Admit;
}

export interface RouteTools {
  readonly catalogue: CardCatalogue;
  /** Ours. */
  readonly schedulerName: string;
}

/** Every path that is served to the API server. */
export function admissionRoutes({ catalogue, schedulerName }: RouteTools): AdmissionRoute[] {
  return [
    { path: WEBHOOK_PATHS.pods, admit: admitPods((asked) => scheduledPod(asked, schedulerName, catalogue.cards())) },
    { path: WEBHOOK_PATHS.templates, admit: admitPods((asked) => templatedPods(asked, schedulerName, catalogue)) },
  ];
}
