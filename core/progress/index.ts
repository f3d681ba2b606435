export * from './admission-events.ts';
export * from './news.ts';
export * from './record.ts';
export * from './tracker.ts';
