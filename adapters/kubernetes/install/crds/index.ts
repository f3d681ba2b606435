import { CARD_TEMPLATE_DEFINITION } from './card-template.ts';
import { COHORT_DEFINITION } from './cohort.ts';
import { FLAVOR_DEFINITION } from './flavor.ts';
import { POOL_DEFINITION } from './pool.ts';
import { QUEUE_DEFINITION } from './queue.ts';
import { WORKLOAD_DEFINITION } from './workload.ts';

export { CARD_TEMPLATE_DEFINITION, POOL_DEFINITION };

/** What admission is described in. */
export const QUEUEING_DEFINITIONS = [FLAVOR_DEFINITION, COHORT_DEFINITION, QUEUE_DEFINITION, WORKLOAD_DEFINITION];

/** Every kind of ours. */
export const DEFINITIONS = [POOL_DEFINITION, CARD_TEMPLATE_DEFINITION, ...QUEUEING_DEFINITIONS];
