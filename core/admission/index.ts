export * from './admission.ts';
export * from './events.ts';
export * from './options.ts';
