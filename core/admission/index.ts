export * from './admission.ts';
export { amountsOf } from './amounts.ts';
export * from './events.ts';
export { isEviction } from './leaves.ts';
export * from './options.ts';
