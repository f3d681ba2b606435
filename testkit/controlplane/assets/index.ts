import { buildAssets } from './build.ts';
import { type Assets, cacheFolder, findAssets } from './find.ts';
import { findGo, goMinorMin } from './go-command.ts';
import { readRecipe } from './recipe.ts';

export { NotBuildable } from './build.ts';
export { type Assets, cacheFolder } from './find.ts';
export { findGo, goEnvironment } from './go-command.ts';
export { withLock } from './lock.ts';

/** Whether a control plane can be had: it is there, it can be built, or neither, and then why. */
export type Availability =
  | { readonly kind: 'present'; readonly assets: Assets }
  | { readonly kind: 'buildable'; readonly go: string }
  | { readonly kind: 'absent'; readonly why: string };

export async function availability(): Promise<Availability> {
  const { assets, missing } = findAssets(readRecipe());
  if (assets !== null) return { kind: 'present', assets };
  const go = await findGo();
  if (go !== null) return { kind: 'buildable', go };
  const why = `there is no Go >= 1.${goMinorMin} to build ${missing.join(', ')}, and KUBEBUILDER_ASSETS names no folder with them`;
  return { kind: 'absent', why };
}

/** The programs of a control plane; builds them where they are missing, which takes minutes. */
export async function ensureAssets(onProgress: (line: string) => void): Promise<Assets> {
  const available = await availability();
  if (available.kind === 'present') return available.assets;
  if (available.kind === 'absent') throw new Error(available.why);
  const recipe = readRecipe();
  await buildAssets({ recipe, go: available.go, onProgress });
  const { assets, missing } = findAssets(recipe);
  if (assets === null) throw new Error(`${cacheFolder()} lacks ${missing.join(', ')} after a build: remove it`);
  return assets;
}
