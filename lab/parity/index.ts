export { caseObjects } from './cases.ts';
export { ASKED, compareCluster, type Comparison, type Difference, type Way } from './compare.ts';
export { type Intended, intendedCluster } from './intended.ts';
