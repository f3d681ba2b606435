export * from './cluster.ts';
export * from './devices.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './lease.ts';
export * from './objects.ts';
export * from './orders.ts';
export * from './pod.ts';
