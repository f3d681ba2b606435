import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What kube-scheduler is told of every node that passed its own filters. */
export const NOTED = 'noted';

/** What kube-scheduler asks an extender that keeps the nodes itself. */
interface Asked {
  readonly Pod: { readonly metadata: { readonly namespace: string; readonly name: string } };
  readonly NodeNames: readonly string[];
}

/**
 * An extender of kube-scheduler that notes which nodes passed all of its filters, and lets none of them pass: so
 * kube-scheduler places nothing, and each pod is judged against the same cluster. For a pod that no node can take an
 * extender is not asked.
 */
export class NotingExtender {
  /** By `namespace/name` of the pod. */
  readonly feasible = new Map<string, readonly string[]>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<NotingExtender> {
    const extender = new NotingExtender();
    await new Promise<void>((resolve) => extender.#server.listen(0, '127.0.0.1', resolve));
    return extender;
  }

  /** For `KubeSchedulerOptions.extenders`. */
  get configuration(): object {
    const { port } = this.#server.address() as AddressInfo;
    return { urlPrefix: `http://127.0.0.1:${port}`, filterVerb: 'filter', nodeCacheCapable: true };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { Pod: pod, NodeNames: nodes } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Asked;
    this.feasible.set(`${pod.metadata.namespace}/${pod.metadata.name}`, nodes);
    const why = Object.fromEntries(nodes.map((node) => [node, NOTED]));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ NodeNames: [], FailedNodes: why }));
  }
}
