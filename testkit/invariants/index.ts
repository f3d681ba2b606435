export * from './broken.ts';
export * from './cluster-state.ts';
