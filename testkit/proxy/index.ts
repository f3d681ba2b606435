export * from './tcp-proxy.ts';
