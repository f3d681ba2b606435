export * from './fleet.ts';
export * from './objects.ts';
