import { type Remark, ruleForEach } from '../rule.ts';
import type { TreeFile } from '../tree.ts';

/** Registries anybody can reach. */
const publicHosts = new Set(['registry.npmjs.org', 'registry.k8s.io', 'registry.terraform.io']);

/** Spelled in parts, or this file would find itself. */
const homes = ['work', 'root', 'home'].join('|');
const machinePath = new RegExp(`(?:^|[^\\w.}-])/(?:${homes})/`);
const registryHost = /https?:\/\/([\w.-]*(?:registry|artifactory|nexus|verdaccio|npm-?proxy|mirror)[\w.-]*)/gi;
const resolvedHost = /"resolved": "https?:\/\/([^/"]+)/;

/** Nothing in the repository depends on the machine or the network it was written in. */
export const privatePlaces = ruleForEach('private-places', isText, remarks);

function isText(file: TreeFile): boolean {
  return !/\.(png|jpg|gif|ico|pdf|gz|zip|woff2?|ttf|parquet|wasm)$/.test(file.path);
}

function remarks(file: TreeFile): Remark[] {
  return file.lines.flatMap((text, index) => {
    const why = objectionTo(text, file.path.endsWith('package-lock.json'));
    return why === null ? [] : [{ line: index + 1, why }];
  });
}

function objectionTo(text: string, isLock: boolean): string | null {
  if (isLock) {
    const host = resolvedHost.exec(text)?.[1];
    return host === undefined || publicHosts.has(host) ? null : `the lock file names the host ${host}`;
  }
  if (machinePath.test(text)) return 'a path of one machine';
  for (const [, host = ''] of text.matchAll(registryHost)) {
    if (!publicHosts.has(host.toLowerCase())) return `the registry ${host} is not one that everybody can reach`;
  }
  return null;
}
