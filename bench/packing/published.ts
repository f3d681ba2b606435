import { join } from 'node:path';
import { readCsv } from '@springtide/adapters/traces';
import type { PolicyName } from '@springtide/core/placement';

/** Names of the published policies, and how far our mean at load 130 may be from theirs (issue 3, item 2). */
export const PEERS: Readonly<Partial<Record<PolicyName, { readonly published: string; readonly tolerance: number }>>> =
  {
    random: { published: '01-Random', tolerance: 0.3 },
    'dot-product': { published: '02-DotProd', tolerance: 0.4 },
    'gpu-clustering': { published: '03-GpuClustering', tolerance: 0.5 },
    'gpu-packing': { published: '04-GpuPacking', tolerance: 0.5 },
    'best-fit': { published: '05-BestFit', tolerance: 0.3 },
    fgd: { published: '06-FGD', tolerance: 0.3 },
  };

/** Published means over ten seeds at load 130, by `trace policy` as published. Throws TraceError. */
export function publishedMeans(data: string): Map<string, number> {
  const file = join(data, 'traces', 'fgd-published', 'alloc_mean.csv');
  const rows = readCsv(file, ['trace', 'policy', 'mean_load_130']);
  return new Map(rows.map((row) => [`${row.text('trace')} ${row.text('policy')}`, Number(row.text('mean_load_130'))]));
}
