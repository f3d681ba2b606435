export * from './easy.ts';
