import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { chartFiles } from './chart.ts';
import { dashboard } from './dashboard.ts';

/** The folder `deploy`. */
export const DEPLOY = join(import.meta.dirname, '..');

/** Every generated file of this folder, by its path in it. */
export function generatedFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const [path, text] of chartFiles(manifest.version)) files.set(`chart/${path}`, text);
  const shown = `${JSON.stringify(dashboard(), null, 2)}\n`;
  files.set('grafana/springtide.json', shown);
  // Helm reads no file outside of its chart.
  files.set('chart/files/springtide.json', shown);
  files.set('chart/files/rules.yaml', readFileSync(join(DEPLOY, 'prometheus', 'rules.yaml'), 'utf8'));
  return files;
}
