import { err, ok, type Result } from '@springtide/core/base';
import type { Readable } from 'node:stream';
import { parseDocuments, readDocuments, type Take } from './documents.ts';
import { type InputError, InputFault, inputError } from './fault.ts';
import { below, textAt } from './fields.ts';
import { RACK_LABELS } from './node.ts';
import type { RequestedWorkload } from './request.ts';
import { isWorkload, type RequestOptions, WORKLOAD_KINDS, workloadOf } from './workloads.ts';

/** Reads what `place` is asked to place: YAML or JSON, one or more documents. `-` is standard input. */
export async function readRequests(
  path: string,
  options: Partial<RequestOptions> & { readonly stdin?: Readable } = {},
): Promise<Result<RequestedWorkload[], InputError>> {
  const gathered = gather(options);
  const read = await readDocuments(path, gathered.take, options.stdin);
  return read.ok ? gathered.finish(path) : read;
}

/** The same for text already at hand. */
export function parseRequests(
  text: string,
  file: string,
  options: Partial<RequestOptions> = {},
): Result<RequestedWorkload[], InputError> {
  const gathered = gather(options);
  const read = parseDocuments(text, file, gathered.take);
  return read.ok ? gathered.finish(file) : read;
}

const WORKLOADS = `one of ${WORKLOAD_KINDS.join(', ')}`;

interface Gathered {
  readonly take: Take;
  readonly finish: (file: string) => Result<RequestedWorkload[], InputError>;
}

function gather({ rackLabels = RACK_LABELS, tenantLabel = '' }: Partial<RequestOptions>): Gathered {
  const workloads: RequestedWorkload[] = [];
  /** Kinds that are no workloads, such as the Service beside a Deployment: passed over. */
  const others: string[] = [];
  const take: Take = (item) => {
    const kind = textAt(item, 'kind');
    if (kind === '') throw new InputFault('missing', below(item, 'kind'), WORKLOADS, undefined);
    if (isWorkload(kind)) workloads.push(workloadOf(item, { rackLabels, tenantLabel }));
    else others.push(kind);
  };
  const finish: Gathered['finish'] = (file) => {
    if (workloads.length > 0) return ok(workloads);
    const found = others.length === 0 ? undefined : others.join(', ');
    const fault = new InputFault('not-a-workload', null, WORKLOADS, found);
    return err(inputError(fault, { file, line: null, column: null, subject: '' }));
  };
  return { take, finish };
}
