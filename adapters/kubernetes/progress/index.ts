export { jobsInProgress } from './jobs-in-progress.ts';
export { readMessage } from './read-message.ts';
export { Suspensions } from './suspensions.ts';
