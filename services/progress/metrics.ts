import type { ProgressNews } from '@springtide/core/progress';
import { Counter, Gauge, Registry } from 'prom-client';

/** What is told of running jobs, all of it. No label is a name that somebody chose. */
export class ProgressMetrics {
  readonly registry = new Registry();
  readonly #reports = new Counter({
    name: 'springtide_progress_reports_total',
    help: 'Heartbeats, by what became of them',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly #troubles = new Counter({
    name: 'springtide_job_troubles_total',
    help: 'Jobs found to stand still, or from which nothing is heard',
    labelNames: ['kind'],
    registers: [this.registry],
  });
  readonly #recoveries = new Counter({
    name: 'springtide_job_recoveries_total',
    help: 'Jobs in trouble that went on by themselves',
    registers: [this.registry],
  });
  readonly #decisions = new Counter({
    name: 'springtide_job_restart_decisions_total',
    help: 'What became of jobs in trouble',
    labelNames: ['decision', 'why'],
    registers: [this.registry],
  });

  /** `jobs`: how many are followed, when it is asked for. */
  constructor(jobs: () => number) {
    void new Gauge({
      name: 'springtide_jobs_followed',
      help: 'Jobs whose heartbeats are followed',
      registers: [this.registry],
      collect() {
        this.set(jobs());
      },
    });
  }

  answered(outcome: string): void {
    this.#reports.inc({ outcome });
  }

  heard(news: ProgressNews): void {
    if (news.kind === 'troubled') this.#troubles.inc({ kind: news.trouble.kind });
    if (news.kind === 'recovered') this.#recoveries.inc();
    if (news.kind !== 'decided') return;
    const { decision } = news;
    this.#decisions.inc({ decision: decision.kind, why: decision.kind === 'give-up' ? decision.why : '' });
  }
}
