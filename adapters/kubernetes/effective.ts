import { type Fields, fieldsAt, has, itemsAt, textAt } from './fields.ts';
import { type Amounts, addAmounts, amountsAt, NO_AMOUNTS, raiseAmounts } from './resources.ts';

/**
 * What the scheduler of Kubernetes 1.37 counts for a pod (component-helpers, `PodRequests`):
 *
 *     peak over time of  sidecars started so far + the init container that runs, at last sidecars + containers
 *     replaced by pod-level requests where `spec.resources` has them
 *     + overhead
 *
 * For a pod that is on a machine the same is taken over what the kubelet has allotted and what is in force
 * (`status.containerStatuses`), and the largest of the three counts, so that a resize in flight is covered.
 */
export function effectiveAmounts(pod: Fields, containers: Containers, isBound: boolean): Amounts {
  const spec = fieldsAt(pod, 'spec');
  const wanted = isBound ? boundAmounts(pod, containers) : peak(containers, (use) => use.requests);
  applyPodLevel(wanted, fieldsAt(spec, 'resources'));
  addAmounts(wanted, amountsAt(spec, 'overhead'));
  return wanted;
}

export interface ContainerUse {
  readonly name: string;
  /** A restartable init container: it goes on running beside the containers. */
  readonly isSidecar: boolean;
  readonly requests: Amounts;
}

export interface Containers {
  /** In the order in which they start. */
  readonly init: readonly ContainerUse[];
  readonly app: readonly ContainerUse[];
}

export function containersOf(spec: Fields): Containers {
  return {
    init: itemsAt(spec, 'initContainers').map(containerUse),
    app: itemsAt(spec, 'containers').map(containerUse),
  };
}

function containerUse(container: Fields): ContainerUse {
  return {
    name: textAt(container, 'name'),
    isSidecar: textAt(container, 'restartPolicy') === 'Always',
    requests: requestsOf(fieldsAt(container, 'resources')),
  };
}

/** A limit without a request is the request, as the API server fills it in. */
function requestsOf(resources: Fields): Amounts {
  const requests = amountsAt(resources, 'requests');
  if (!has(resources, 'limits')) return requests;
  const limits = amountsAt(resources, 'limits');
  if ([...limits.keys()].every((name) => requests.has(name))) return requests;
  return new Map([...limits, ...requests]);
}

/** The most that runs at once, for each resource by itself. */
function peak(containers: Containers, amountsOf: (use: ContainerUse) => Amounts): Map<string, number> {
  const running = new Map<string, number>();
  for (const use of containers.app) addAmounts(running, amountsOf(use));
  const sidecars = new Map<string, number>();
  const starting = new Map<string, number>();
  for (const use of containers.init) {
    const amounts = amountsOf(use);
    if (use.isSidecar) {
      addAmounts(running, amounts);
      addAmounts(sidecars, amounts);
      raiseAmounts(starting, sidecars);
    } else {
      const together = new Map(amounts);
      addAmounts(together, sidecars);
      raiseAmounts(starting, together);
    }
  }
  raiseAmounts(running, starting);
  return running;
}

interface Allotment {
  readonly allotted: Amounts | null;
  readonly inForce: Amounts | null;
}

function boundAmounts(pod: Fields, containers: Containers): Map<string, number> {
  const status = fieldsAt(pod, 'status');
  const allotments = allotmentsOf(status);
  const isInfeasible = isResizeInfeasible(status);
  const spec = (use: ContainerUse): Amounts => use.requests;
  if (allotments.size === 0 && !isInfeasible) return peak(containers, spec);
  const fallback = (use: ContainerUse): Amounts => (isInfeasible ? NO_AMOUNTS : use.requests);
  const amounts = peak(containers, (use) => allotments.get(use.name)?.allotted ?? fallback(use));
  const inForce = peak(containers, (use) => {
    const allotment = allotments.get(use.name);
    return allotment?.inForce ?? allotment?.allotted ?? fallback(use);
  });
  raiseAmounts(amounts, inForce);
  if (!isInfeasible) raiseAmounts(amounts, peak(containers, spec));
  return amounts;
}

function allotmentsOf(status: Fields): Map<string, Allotment> {
  const allotments = new Map<string, Allotment>();
  for (const key of ['containerStatuses', 'initContainerStatuses']) {
    for (const container of itemsAt(status, key)) {
      const resources = fieldsAt(container, 'resources');
      const allotted = has(container, 'allocatedResources') ? amountsAt(container, 'allocatedResources') : null;
      const inForce = has(resources, 'requests') ? amountsAt(resources, 'requests') : null;
      if (allotted !== null || inForce !== null) allotments.set(textAt(container, 'name'), { allotted, inForce });
    }
  }
  return allotments;
}

function isResizeInfeasible(status: Fields): boolean {
  const pending = itemsAt(status, 'conditions').find((condition) => textAt(condition, 'type') === 'PodResizePending');
  return pending !== undefined && textAt(pending, 'reason') === 'Infeasible';
}

function isPodLevel(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

/** Pod-level requests win; a pod-level limit alone counts where no container asks for the resource. */
function applyPodLevel(wanted: Map<string, number>, resources: Fields): void {
  for (const [name, amount] of amountsAt(resources, 'limits')) {
    if (isPodLevel(name) && !wanted.has(name)) wanted.set(name, amount);
  }
  for (const [name, amount] of amountsAt(resources, 'requests')) {
    if (isPodLevel(name)) wanted.set(name, amount);
  }
}
