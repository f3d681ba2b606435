export { admissionOutlookOf, cardsOf, type KnownRuns, knownRunsOf, traitsOf } from './admission-outlook.ts';
export type { AdmissionMoment } from './admission-rehearsal.ts';
export * from './advice.ts';
export * from './calibration.ts';
export * from './outlook.ts';
export * from './queue-forecaster.ts';
export * from './rehearsal.ts';
export * from './submission-trial.ts';
