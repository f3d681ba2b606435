export * from './groups.ts';
export * from './line-snapshot.ts';
export * from './scores.ts';
export * from './told.ts';
