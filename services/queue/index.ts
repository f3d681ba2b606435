export { QueueService, type QueueServiceOptions } from './service.ts';
