import { type Bound, holds, writeResult } from '../report.ts';
import { sample } from './run.ts';

const ADMISSIONS = 20_000;
const PER_SECOND_MIN = 5000;

/** Admissions a second of CPU in the core, with 50,000 jobs queued in 1,000 queues and all cards held (P8, Q1). */
export function admission(): Promise<boolean> {
  const rows = [false, true].map((placesPods) => {
    const one = sample(placesPods, ADMISSIONS);
    return Object.assign(one, { placesPods, perSecond: (1000 * one.admissions) / one.cpuMs });
  });
  for (const { placesPods, queued, queues, running, admissions, tried, perSecond } of rows) {
    const what = placesPods ? 'quota and place' : 'quota alone';
    console.log(
      `${what}: ${perSecond.toFixed(0)} admissions a second of CPU (${admissions}, ${tried} tries), ${queued} jobs queued in ${queues} queues, ${running} running`,
    );
  }
  writeResult('admission', { rows });
  const bounds: Bound[] = rows.map(({ placesPods, perSecond }) => ({
    figure: `admissions a second, ${placesPods ? 'quota and place' : 'quota alone'}`,
    value: perSecond,
    min: PER_SECOND_MIN,
  }));
  return Promise.resolve(holds(bounds));
}
