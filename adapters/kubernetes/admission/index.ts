export * from './admit.ts';
export * from './answer.ts';
export type { AdmissionRequest, Operation } from './request.ts';
