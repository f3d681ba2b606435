import { systemClock } from '@springtide/adapters/clock';
import { type ConnectionConfig, readKubeconfig } from '@springtide/adapters/kubernetes/client';
import { KubernetesCluster } from '@springtide/adapters/kubernetes/cluster';
import { mulberry32 } from '@springtide/core/base';
import { SCHEDULER_DEFAULTS, type SchedulerOptions } from '@springtide/core/scheduler';
import type { Clock } from '@springtide/ports/clock';
import type { BindOrder, Cluster } from '@springtide/ports/cluster';
import { SchedulerService } from '@springtide/services/scheduler';
import { until } from '@springtide/testkit/controlplane/fixtures';
import type { ControlPlane } from '@springtide/testkit/controlplane';
import { TcpProxy } from '@springtide/testkit/proxy';

export interface ReplicaOptions {
  readonly schedulerName: string;
  readonly holder?: string;
  /** Not the clock of this machine. */
  readonly clock?: Clock;
  readonly scheduling?: Partial<SchedulerOptions>;
  /** Runs between the decision to bind a pod and the request. */
  readonly beforeBind?: (order: BindOrder) => Promise<void>;
}

/** A scheduler as it ships, that reaches the API server through a network which a test can break. */
export class Replica {
  readonly cluster: KubernetesCluster;
  readonly service: SchedulerService;
  readonly proxy: TcpProxy;

  private constructor(plane: ControlPlane, proxy: TcpProxy, options: ReplicaOptions) {
    const { schedulerName, clock = systemClock, holder = 'a' } = options;
    this.proxy = proxy;
    this.cluster = new KubernetesCluster({
      config: { ...configOf(plane), server: `https://127.0.0.1:${proxy.port}` },
      clock,
      random: mulberry32(1),
      controller: 'springtide.io/scheduler',
      schedulerName,
      holder,
      lease: { namespace: 'kube-system', name: schedulerName },
    });
    const scheduling = { ...SCHEDULER_DEFAULTS, ...options.scheduling };
    const cluster = withHook(this.cluster, options.beforeBind);
    this.service = new SchedulerService({ cluster, clock, schedulerName, scheduling });
  }

  static async start(plane: ControlPlane, options: ReplicaOptions): Promise<Replica> {
    const proxy = await TcpProxy.to(Number(new URL(plane.url).port));
    const replica = new Replica(plane, proxy, options);
    replica.service.start();
    return replica;
  }

  /** The same, once it leads. */
  static async leading(plane: ControlPlane, options: ReplicaOptions): Promise<Replica> {
    const replica = await Replica.start(plane, options);
    await until('it leads', async () => replica.service.isLeading);
    return replica;
  }

  async stop(): Promise<void> {
    this.proxy.mend();
    await this.service.stop();
    await this.proxy.close();
  }
}

function configOf(plane: ControlPlane): ConnectionConfig {
  const read = readKubeconfig({ path: plane.adminKubeconfig });
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

/** Everything goes to the real cluster; only a bind waits for the hook first. */
function withHook(real: KubernetesCluster, beforeBind: ReplicaOptions['beforeBind']): Cluster {
  if (beforeBind === undefined) return real;
  const { view, lease, start, stop, record } = real;
  return {
    view,
    lease,
    start,
    stop,
    record,
    orders: (term) => {
      const orders = real.orders(term);
      return { ...orders, bind: (order) => beforeBind(order).then(() => orders.bind(order)) };
    },
  };
}
