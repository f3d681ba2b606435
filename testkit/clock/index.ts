export { systemClock } from '@springtide/adapters/clock';
export { settled, VirtualClock } from './virtual-clock.ts';
