export * from './alike.ts';
export * from './assert.ts';
export * from './heap.ts';
export * from './order.ts';
export * from './random.ts';
export * from './result.ts';
