export * from './choice.ts';
export { kubernetesOrder, type OrderContext } from './deletion-order.ts';
export { type Freed, freedBy } from './freed.ts';
export type { Replica } from './replica.ts';
