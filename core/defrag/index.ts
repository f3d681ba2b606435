export * from './common-requests.ts';
export * from './emptiable.ts';
export * from './fragmentation.ts';
export * from './gangs.ts';
export * from './leftovers.ts';
export { LOSS_REASONS, type LossReason } from './loss.ts';
export * from './usable.ts';
