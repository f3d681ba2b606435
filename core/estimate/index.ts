export * from './advice.ts';
export * from './calibration.ts';
export * from './outlook.ts';
export * from './rehearsal.ts';
