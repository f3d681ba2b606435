import { parseArgs } from 'node:util';
import { availability, ensureAssets } from './assets/index.ts';
import type { ControlPlane } from './control-plane.ts';
import { nodeObject } from './fixtures/nodes.ts';
import { startControlPlane } from './start.ts';

const help = `npm run testbed -- [options]

Starts a Kubernetes control plane on 127.0.0.1 and prints its kubeconfig. Ctrl-C ends it.

  --build                   only build what is missing
  --nodes N                 make N fake nodes
  --cards N                 with N cards each (8)
  --scheduler               start kube-scheduler, for the pods that name no other
  --feature-gates A=true    for every part
  --runtime-config A=true   API groups and versions
  --keep                    keep logs and data
`;

const { values } = parseArgs({
  options: {
    build: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '0' },
    cards: { type: 'string', default: '8' },
    scheduler: { type: 'boolean', default: false },
    'feature-gates': { type: 'string', default: '' },
    'runtime-config': { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(help);
  const available = await availability();
  if (available.kind === 'absent') throw new Error(available.why);
  const assets = await ensureAssets(say);
  if (values.build) return void process.stdout.write(`${assets.binaries.kubectl.replace(/\/kubectl$/, '')}\n`);
  const plane = await startControlPlane({
    featureGates: switches(values['feature-gates']),
    runtimeConfig: switches(values['runtime-config']),
    isFolderKept: values.keep,
    onProgress: say,
  });
  const names = Array.from({ length: count(values.nodes) }, (_, index) => `node-${String(index + 1).padStart(4, '0')}`);
  const nodes = names.map((name) => nodeObject(name, { cards: count(values.cards) }));
  await Promise.all(nodes.map((node) => plane.api.create('/api/v1/nodes', node)));
  if (values.scheduler) await plane.startKubeScheduler();
  process.stdout.write(introduction(plane, assets.binaries.kubectl));
  await untilSignal();
  await plane.stop();
}

function introduction(plane: ControlPlane, kubectl: string): string {
  return `Kubernetes ${plane.version} at ${plane.url}

  export KUBECONFIG=${plane.adminKubeconfig}
  ${kubectl} get nodes

Logs and audit log are in ${plane.folder}. Ctrl-C ends it.
`;
}

function count(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new Error(`expected a count, not "${text}"`);
  return Number(text);
}

/** Reads `A=true,B=false`. */
function switches(text: string): Record<string, boolean> {
  const pairs = text === '' ? [] : text.split(',').map((pair) => pair.split('='));
  for (const [name, value] of pairs) {
    if (!name || (value !== 'true' && value !== 'false'))
      throw new Error(`expected NAME=true or NAME=false in "${text}"`);
  }
  return Object.fromEntries(pairs.map(([name, value]) => [name, value === 'true']));
}

/** The control plane does not keep this process alive, so something has to. */
function untilSignal(): Promise<void> {
  const alive = setInterval(() => {}, 60_000);
  return new Promise((resolve) => {
    const finish = (): void => {
      clearInterval(alive);
      resolve();
    };
    process.once('SIGINT', finish);
    process.once('SIGTERM', finish);
  });
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
