export * from './admit.ts';
export * from './answer.ts';
export type { AdmissionRequest, Operation } from './request.ts';
export { admitPods } from './admit-pods.ts';
export { type CatalogueOptions, WatchedCatalogue } from './catalogue.ts';
export { scaleInOf } from './scale.ts';
