export type { Loss } from './losses.ts';
export type { Migration } from './migrate.ts';
export { readKueue, readLiveKueue } from './read.ts';
