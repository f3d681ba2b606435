export * from './service.ts';
export * from './translator.ts';
export * from './wait-message.ts';
