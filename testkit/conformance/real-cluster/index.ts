export { configOf, CONTROLLER, RealWorld } from './real-world.ts';
