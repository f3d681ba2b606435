export * from './fake-api.ts';
export * from './fake-leases.ts';
export * from './plain-config.ts';
export * from './until.ts';
