export * from './broken.ts';
export * from './cluster-state.ts';
export * from './slice-ledger.ts';
