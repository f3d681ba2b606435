export * from './events.ts';
export * from './options.ts';
export * from './scheduler.ts';
export * from './snapshot.ts';
export * from './world.ts';
