export { jobsInProgress } from './jobs-in-progress.ts';
export { readMessage } from './read-message.ts';
