/** The group and version of Queue, Cohort, Flavor and Workload. */
export const QUEUEING_VERSION = 'springtide.io/v1alpha1';
