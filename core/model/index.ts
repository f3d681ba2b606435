export * from './card.ts';
export * from './constraints.ts';
export * from './machine.ts';
export * from './refusal.ts';
export * from './request.ts';
export * from './workload.ts';
