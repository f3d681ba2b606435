export * from './axis.ts';
export * from './bar-chart.ts';
export * from './html.ts';
export * from './line-chart.ts';
export * from './numbers.ts';
export * from './page.ts';
export * from './table.ts';
export * from './whole-file.ts';
