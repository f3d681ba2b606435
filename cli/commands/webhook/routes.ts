import { type Admit, UNCHANGED } from '@springtide/adapters/kubernetes/admission';

/** A path that a webhook configuration names, and what decides there. */
export interface AdmissionRoute {
  readonly path: string;
  readonly admit: Admit;
}

/** Every path that is served to the API server. */
export function admissionRoutes(): AdmissionRoute[] {
  return [{ path: '/admit/pods', admit: () => UNCHANGED }];
}
