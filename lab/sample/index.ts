export * from './day.ts';
export type { DayPoint } from './figures.ts';
export * from './fleet.ts';
export * from './requests.ts';
export * from './sample.ts';
export * from './work.ts';
