export { KnownFleet } from './known-fleet.ts';
export { ScaleIn, type ScaleInOutcome, type ScaleInTools } from './scale-in.ts';
export { Sweeper } from './sweeper.ts';
export { scaleInWarnings } from './warnings.ts';
