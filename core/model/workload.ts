import type { TopologyLevel } from './machine.ts';
import type { Request } from './request.ts';

/** Who pays and whose data it is. */
export interface Tenant {
  readonly id: string;
}

/** One unit of placement: it runs on one machine. */
export interface Pod {
  /** `namespace/name`: unique in the book. */
  readonly id: string;
  readonly namespace: string;
  readonly labels: ReadonlyMap<string, string>;
  /** The service whose replica it is; empty for anything else. P1's caps count by it. */
  readonly service: string;
  /** Replicas the service has in all; 0 when it is no service. */
  readonly serviceReplicas: number;
  readonly tenant: string;
  readonly priority: number;
  readonly request: Request;
  /** Its resource claims, `namespace/name`, as many as `Constraints.devices`; absent: it has none. */
  readonly deviceClaims?: readonly string[];
}

/** How the members of a gang talk, which decides what "near" means (P4). */
export type CommunicationPattern = 'all-reduce' | 'parameter-server' | 'pipeline';

export interface TopologyRequest {
  readonly level: TopologyLevel;
  readonly mode: 'required' | 'preferred';
  readonly pattern: CommunicationPattern;
}

export type PodRole = 'worker' | 'server';

/** Equal pods of a workload. */
export interface PodSet {
  readonly name: string;
  readonly count: number;
  readonly role: PodRole;
  readonly request: Request;
}

export interface Workload {
  /** `namespace/name`. */
  readonly id: string;
  readonly namespace: string;
  readonly tenant: string;
  readonly queue: string;
  readonly priority: number;
  readonly labels: ReadonlyMap<string, string>;
  readonly service: string;
  readonly podSets: readonly PodSet[];
  /** All start together or none does (P5). */
  readonly gang: boolean;
  readonly topology: TopologyRequest | null;
}

/** The pods of a workload in order: pod sets in turn, `id-set-index`. */
export function podsOf(workload: Workload): Pod[] {
  const total = workload.podSets.reduce((sum, set) => sum + set.count, 0);
  return workload.podSets.flatMap((set) =>
    Array.from({ length: set.count }, (_, index) => ({
      id: `${workload.id}-${set.name}-${index}`,
      namespace: workload.namespace,
      labels: workload.labels,
      service: workload.service,
      serviceReplicas: workload.service === '' ? 0 : total,
      tenant: workload.tenant,
      priority: workload.priority,
      request: set.request,
    })),
  );
}
