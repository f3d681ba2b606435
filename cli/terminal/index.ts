export * from './answer.ts';
export * from './language.ts';
export * from './text-table.ts';
