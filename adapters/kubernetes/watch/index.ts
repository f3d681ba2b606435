export { keyOf, Outbox } from './outbox.ts';
export { REFLECTOR_TIMES, type ReflectorTimes } from './reflected.ts';
