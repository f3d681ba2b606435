export * from './admission.ts';
export { amountsOf } from './amounts.ts';
export * from './events.ts';
export * from './options.ts';
