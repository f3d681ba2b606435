import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureAssets } from './assets/index.ts';
import { ControlPlane, type Facts } from './control-plane.ts';
import { serveControls } from './control-socket.ts';
import { fileIn, layoutOf, portsCount } from './layout.ts';
import type { ControlPlaneOptions } from './options.ts';
import { freePorts } from './process/ports.ts';
import { Watch } from './process/watch.ts';
import { Programs } from './programs.ts';

/**
 * Starts a real control plane on 127.0.0.1: etcd, kube-apiserver, kube-controller-manager and KWOK. Builds them first
 * where they are missing. When this process ends without `stop`, they end too.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const assets = await ensureAssets(options.onProgress ?? (() => {}));
  const watch = new Watch();
  const folder = mkdtempSync(join(tmpdir(), 'springtide-controlplane-'));
  if (!options.isFolderKept) watch.remove(folder);
  const layout = layoutOf(folder, await freePorts(portsCount));
  const programs = new Programs(layout, assets, options, watch);
  try {
    await programs.start();
    const { kubectl } = assets.binaries;
    const { adminToken } = programs.identities;
    const facts: Facts = { layout, version: await programs.version(), adminToken, kubectl };
    writeFileSync(fileIn(layout, 'facts'), JSON.stringify(facts), { mode: 0o600 });
    const server = await serveControls(programs, fileIn(layout, 'socket'));
    return new ControlPlane(facts, programs, async () => {
      server.close();
      server.closeAllConnections();
      await programs.stop();
      await watch.end();
    });
  } catch (error) {
    // The guard kills what did start.
    await watch.end();
    throw error;
  }
}
