import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ControlPlane } from '@springtide/testkit/controlplane';

const PROGRAM = join(import.meta.dirname, '..', '..', 'cli', 'springtide.js');

/** The program as it ships, in a process of its own. Killed (SIGKILL) it gives nothing up, least of all its lease. */
export interface SchedulerProcess {
  readonly kill: () => void;
}

export function startSchedulerProcess(plane: ControlPlane, schedulerName: string): SchedulerProcess {
  const words = ['--kubeconfig', plane.adminKubeconfig, '--name', schedulerName, '--listen', '127.0.0.1:0'];
  const child = spawn(process.execPath, [PROGRAM, 'scheduler', ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
  return { kill: () => void child.kill('SIGKILL') };
}
