export * from './csv.ts';
export * from './go-rand.ts';
export * from './openb.ts';
export * from './philly.ts';
