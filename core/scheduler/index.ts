export * from './events.ts';
export * from './scheduler.ts';
export * from './world.ts';
