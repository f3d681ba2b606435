import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DEPLOY, generatedFiles } from './generate/index.ts';

/** `npm run chart`: writes what is generated of this folder. */
rmSync(join(DEPLOY, 'chart', 'crds'), { recursive: true, force: true });
for (const [path, text] of generatedFiles()) {
  mkdirSync(dirname(join(DEPLOY, path)), { recursive: true });
  writeFileSync(join(DEPLOY, path), text);
}
