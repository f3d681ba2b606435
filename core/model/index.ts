export * from './card.ts';
export * from './constraints.ts';
export * from './machine.ts';
export * from './picture.ts';
export * from './refusal.ts';
export * from './request.ts';
export * from './short-model.ts';
export * from './workload.ts';
