import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type GoProgram, goProgram } from '../go-program/index.ts';

const VERSION = 'v0.17.0';
const MODULE = 'sigs.k8s.io/kueue';
const CRDS = join('config', 'components', 'crd', 'bases');

/** Kueue as it is released, and what it needs in a cluster. */
export interface Kueue {
  /** Its control plane: all controllers and webhooks. */
  readonly program: string;
  /** What its own performance harness runs: the scheduler and its caches alone, 50 requests a second and kind. */
  readonly minimal: string;
  /** A folder of YAML files. */
  readonly crdFolder: string;
}

/** Kueue, built once from its Go module: ten minutes of CPU on a new machine. Or why there is none. */
export async function kueuePrograms(onProgress: (line: string) => void): Promise<Kueue | { why: string }> {
  const program: GoProgram = {
    name: 'Kueue',
    key: `kueue-${VERSION}-${process.platform}-${process.arch}`,
    about: 'five to ten minutes on two cores',
    build: async (go, folder) => {
      const env = { GOBIN: folder, GOFLAGS: '-trimpath' };
      await go(['install', `${MODULE}/cmd/kueue@${VERSION}`], { env });
      await go(['install', `${MODULE}/test/performance/scheduler/minimalkueue@${VERSION}`], { env });
      const { Dir } = JSON.parse(await go(['mod', 'download', '-json', `${MODULE}@${VERSION}`])) as { Dir: string };
      cpSync(join(Dir, CRDS), join(folder, 'crds'), { recursive: true });
    },
  };
  const built = await goProgram(program, onProgress);
  if ('why' in built) return built;
  const inFolder = (name: string): string => join(built.folder, name);
  return { program: inFolder('kueue'), minimal: inFolder('minimalkueue'), crdFolder: inFolder('crds') };
}
