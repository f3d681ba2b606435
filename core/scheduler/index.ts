export * from './events.ts';
export * from './queue.ts';
export * from './scheduler.ts';
export * from './world.ts';
