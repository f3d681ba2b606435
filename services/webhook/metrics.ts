import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ScaleInOutcome } from './scale-in/index.ts';

const BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The webhook's metrics, all of them, with all their labels. No label is a name that somebody chose. */
export class WebhookMetrics {
  readonly registry = new Registry();
  readonly #answers = new Counter({
    name: 'springtide_admissions_total',
    help: 'Requests of the API server, by path and by what became of them',
    labelNames: ['path', 'outcome'],
    registers: [this.registry],
  });
  readonly #duration = new Histogram({
    name: 'springtide_admission_duration_seconds',
    help: 'From a request of the API server to its answer',
    labelNames: ['path'],
    buckets: BUCKETS_S,
    registers: [this.registry],
  });
  readonly #scaleIns = new Counter({
    name: 'springtide_scale_ins_total',
    help: 'Changes to fewer replicas, by what was done about them and, where the default order applies, why',
    labelNames: ['outcome', 'why'],
    registers: [this.registry],
  });
  readonly #expiry = new Gauge({
    name: 'springtide_webhook_certificate_expiry_timestamp_seconds',
    help: 'When the certificate that is served expires, in seconds since 1970',
    registers: [this.registry],
  });

  answered(path: string, outcome: string, ms: number): void {
    this.#answers.inc({ path, outcome });
    this.#duration.observe({ path }, ms / 1000);
  }

  scaledIn(answer: ScaleInOutcome): void {
    this.#scaleIns.inc({ outcome: answer.outcome, why: answer.outcome === 'default' ? answer.why : '' });
  }

  servesUntil(wallMs: number): void {
    this.#expiry.set(Math.floor(wallMs / 1000));
  }

  /** Everything, in Prometheus' text format. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}
