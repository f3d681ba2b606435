export * from './refusals.ts';
export * from './units.ts';
