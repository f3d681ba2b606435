export * from './plain.ts';
