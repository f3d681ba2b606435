export * from './fleet.ts';
export * from './objects.ts';
export * from './read.ts';
