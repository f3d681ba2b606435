export * from './asked.ts';
export * from './outlooks.ts';
export * from './world.ts';
