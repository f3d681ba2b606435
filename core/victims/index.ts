export * from './machine-trial.ts';
export * from './preemption.ts';
