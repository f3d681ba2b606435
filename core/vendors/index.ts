export { type MigProfile, type MigTable, plainProfile } from './mig.ts';
export { isNetworkResource } from './network.ts';
export * from './table.ts';
export { templateAmounts } from './template-amounts.ts';
export type { Template, TemplateTable } from './templates.ts';
export type { CardModel, CardResource, SliceResources, Vendor } from './vendor.ts';
