export { Election, type ElectionOptions, LEASE_TIMES, type LeaseTimes } from './election.ts';
