export * from './book.ts';
export * from './classes.ts';
export * from './eligible.ts';
export * from './holding.ts';
export * from './kinds.ts';
export { PREFERENCE_GRADES } from './preference.ts';
export * from './observed.ts';
export * from './touched.ts';
export * from './tournament.ts';
