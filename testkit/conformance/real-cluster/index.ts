export { clientOf, configOf, CONTROLLER, RealWorld } from './real-world.ts';
