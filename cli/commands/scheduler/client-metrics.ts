import type { KubernetesCluster } from '@springtide/adapters/kubernetes/cluster';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** Named against Prometheus' own rules by the library, and told by type beside. */
const LEFT_OUT = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Adds what the process itself tells. */
export function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of LEFT_OUT) registry.removeSingleMetric(name);
}

/** Adds what the client of the API server and the process itself tell. */
export function addClientMetrics(registry: Registry, cluster: KubernetesCluster): void {
  addProcessMetrics(registry);
  const add = (name: string, help: string, set: (gauge: Gauge<'urgency'>) => void, labels: 'urgency'[] = []): void => {
    const collect = function (this: Gauge<'urgency'>): void {
      set(this);
    };
    void new Gauge({ name: `springtide_${name}`, help, labelNames: labels, registers: [registry], collect });
  };
  const byUrgency = (what: 'waiting' | 'inFlight') => (gauge: Gauge<'urgency'>) => {
    for (const [urgency, counts] of Object.entries(cluster.counts().requests)) gauge.set({ urgency }, counts[what]);
  };
  add('requests_waiting', 'Requests that wait for their turn', byUrgency('waiting'), ['urgency']);
  add('requests_in_flight', 'Requests under way', byUrgency('inFlight'), ['urgency']);
  add('view_events_waiting', 'Events that wait to be taken in', (gauge) => gauge.set(cluster.counts().view.waiting));
  add('view_objects', 'Objects of the cluster that are watched', (gauge) => gauge.set(cluster.counts().view.objects));
}
