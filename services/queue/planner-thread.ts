import { parentPort, workerData } from 'node:worker_threads';
import type { AdmissionOptions } from '@springtide/core/admission';
import { QueueForecaster } from '@springtide/core/estimate';
import type { PlannerAnswer, PlannerMessage } from './planner.ts';

// The thread of the planner. Bugs are not caught here; they end the thread.
const forecaster = new QueueForecaster(workerData as AdmissionOptions);

parentPort?.on('message', (sent: PlannerMessage) => {
  if (sent.kind === 'news') return forecaster.hear(sent.news);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin, only windows have
  parentPort?.postMessage(answer(sent.nowMs));
});

function answer(nowMs: number): PlannerAnswer {
  const startedAtMs = performance.now();
  const forecast = forecaster.forecast(nowMs);
  return { forecast, tookMs: performance.now() - startedAtMs };
}
