export * from './cluster.ts';
export * from './explanation-lines.ts';
export * from './live.ts';
export * from './pictures.ts';
export * from './read.ts';
export * from './request-json.ts';
export * from './workload-name.ts';
