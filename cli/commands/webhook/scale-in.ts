import { SCALE_IN_MS_MAX, scaleInOf, UNCHANGED } from '@springtide/adapters/kubernetes/admission';
import type { ApiClient } from '@springtide/adapters/kubernetes/client';
import { View } from '@springtide/adapters/kubernetes/cluster';
import { WEBHOOK_PATHS } from '@springtide/adapters/kubernetes/install';
import { kubernetesReplicas } from '@springtide/adapters/kubernetes/replicas';
import { mulberry32 } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import { KnownFleet, ScaleIn, scaleInWarnings, Sweeper, type WebhookMetrics } from '@springtide/services/webhook';
import type { AdmissionRoute } from './routes.ts';

/** The choice of replicas that leave, with its watches. */
export interface RunningScaleIn {
  readonly route: AdmissionRoute;
  /** What it waits for before it can choose. */
  readonly missing: () => readonly string[];
  readonly stop: () => Promise<void>;
}

export function startScaleIn(client: ApiClient, clock: Clock, metrics: WebhookMetrics): RunningScaleIn {
  const random = mulberry32(clock.wallMs());
  const view = new View({ client, clock, random, watched: ['machines', 'pods', 'budgets'] });
  view.start();
  const fleet = new KnownFleet(view, clock);
  const tools = { replicas: kubernetesReplicas(client), fleet, clock };
  const scaleIn = new ScaleIn(tools);
  const sweeper = new Sweeper(tools);
  return {
    route: {
      path: WEBHOOK_PATHS.scaleIn,
      msMax: SCALE_IN_MS_MAX,
      admit: async (request) => {
        const asked = scaleInOf(request);
        if (asked === null) return UNCHANGED;
        const outcome = await scaleIn.decide(asked);
        metrics.scaledIn(outcome);
        return { ...UNCHANGED, warnings: scaleInWarnings(asked, outcome) };
      },
    },
    missing: () => (fleet.isSynced ? [] : ['machines and pods']),
    stop: async () => {
      sweeper.stop();
      fleet.stop();
      await view.stop();
    },
  };
}
