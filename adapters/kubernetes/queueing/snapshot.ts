import { err, ok, type Result } from '@springtide/core/base';
import type { Clock } from '@springtide/ports/clock';
import type { ClusterEvent, ClusterFailure, Unreadable } from '@springtide/ports/cluster';
import type { QueueingEvent, SeenCluster } from '@springtide/ports/queueing';
import type { Readable } from 'node:stream';
import type { ApiClient } from '../client/api-client.ts';
import { Discovery } from '../client/discovery.ts';
import { Fleet } from '../cluster/fleet.ts';
import { priorityClassOf } from '../cluster/policies.ts';
import { namespaceOf } from '../cluster/sources.ts';
import { readDocuments } from '../documents.ts';
import { type InputError, InputFault, inputError, NOT_SHOWN } from '../fault.ts';
import { below, type Fields, fieldsAt, fieldsOf, has, textAt } from '../fields.ts';
import { JOB_KINDS } from '../jobs/kinds.ts';
import { QUEUE_LABEL, queueAskOf } from '../jobs/labels.ts';
import { readJob } from '../jobs/read-job.ts';
import { listAll } from '../list-all.ts';
import { RACK_LABELS } from '../node.ts';
import { readObjects } from '../read-dump.ts';
import { QueuedObjects } from './queued-objects.ts';
import { queueingSources } from './sources.ts';
import { QUEUEING_VERSION } from './version.ts';
import { workloadObjectOf } from './workload.ts';

/** A list to be asked for, and what becomes of its objects. */
interface Listed {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The cluster may lack it. */
  readonly isOptional: boolean;
  readonly isServed?: () => Promise<Result<boolean, ClusterFailure>>;
  readonly see: (object: Fields) => void;
}

const FLEET_OPTIONS = { rackLabels: RACK_LABELS, cluster: '', tenantLabel: '', hasFractions: false };

/** Turns objects into the events that the queue controller hears of them. */
class Gathered {
  readonly cluster: ClusterEvent[] = [];
  readonly queueing: QueueingEvent[] = [];
  readonly lists: readonly Listed[];
  /** Objects that could not be read. */
  readonly unreadable: Unreadable[] = [];

  constructor(discovery: Discovery) {
    const putCluster = (event: ClusterEvent): void => {
      if (event.kind === 'unreadable') this.unreadable.push(event.object);
      else this.cluster.push(event);
    };
    const put = (event: QueueingEvent): void => {
      if (event.kind === 'unreadable') this.unreadable.push(event.object);
      else this.queueing.push(event);
    };
    const fleet = new Fleet(FLEET_OPTIONS, putCluster);
    const core = (path: string, see: (object: Fields) => void): Listed => ({
      path,
      query: {},
      isOptional: false,
      see,
    });
    const sources = queueingSources({
      put,
      discovery,
      objects: new QueuedObjects(put),
      seeWorkload: (object) => put({ kind: 'workload-seen', workload: workloadObjectOf(object) }),
      loseWorkload: ({ id }) => put({ kind: 'workload-gone', workload: id }),
    });
    this.lists = [
      core('/api/v1/nodes', (object) => fleet.seeNode(object)),
      core('/api/v1/pods', (object) => fleet.seePod(object)),
      core('/api/v1/namespaces', (object) => putCluster({ kind: 'namespace-seen', namespace: namespaceOf(object) })),
      core('/apis/scheduling.k8s.io/v1/priorityclasses', (object) =>
        putCluster({ kind: 'priority-class-seen', priorityClass: priorityClassOf(object) }),
      ),
      ...sources.map(({ resource, seen }) => Object.assign({ see: seen }, resource)),
    ];
  }

  get seen(): SeenCluster {
    return { cluster: this.cluster, queueing: this.queueing, unreadable: this.unreadable };
  }
}

const EXPECTED =
  'queues and what waits in them, as kubectl get nodes,pods,namespaces,jobs,queues.springtide.io,' +
  'cohorts.springtide.io,flavors.springtide.io,workloads.springtide.io -A -o json prints them';

/**
 * What the queue controller would see of a cluster, from a dump of it: a file, or `-`. An object that cannot be read is
 * the error. O(objects).
 */
export async function readQueueing(path: string, stdin?: Readable): Promise<Result<SeenCluster, InputError>> {
  const gathered = new Gathered(NO_DISCOVERY);
  const byKind = Map.groupBy(gathered.lists, ({ path: where }) => where.slice(where.lastIndexOf('/') + 1));
  const take = (object: Fields, implied: string): void => {
    const [kind, apiVersion] = [textAt(object, 'kind', implied), textAt(object, 'apiVersion')];
    for (const list of byKind.get(pluralOf(kind)) ?? []) {
      if (apiVersion !== '' && versionOf(list.path) !== apiVersion) continue;
      list.see(object);
      const [bad] = gathered.unreadable;
      if (bad !== undefined) throw new InputFault('value', null, bad.expected, NOT_SHOWN);
    }
  };
  const error = await readObjects(path, take, stdin);
  if (error !== null) return err({ ...error, ...placeOf(gathered.unreadable[0]) });
  if (gathered.queueing.some(({ kind }) => kind === 'queue-seen')) return ok(gathered.seen);
  const fault = new InputFault('not-a-dump', null, `${EXPECTED}: there is no Queue`, NOT_SHOWN);
  return err(inputError(fault, { file: path, line: null, column: null, subject: '' }));
}

/** Where in the object it is wrong. */
function placeOf(bad: Unreadable | undefined): Partial<InputError> {
  return bad === undefined ? {} : { path: bad.path, expected: bad.expected, found: bad.found };
}

/** Nobody is asked which versions a file has. */
const NO_DISCOVERY = new Discovery(
  { request: () => Promise.reject(new Error('a file is not asked')) },
  { nowMs: () => 0, wallMs: () => 0, after: () => () => {} },
);

function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  return lower.endsWith('s') ? `${lower}es` : `${lower}s`;
}

/** `batch/v1` of `/apis/batch/v1/jobs`. */
function versionOf(path: string): string {
  return path.replace(/^\/apis?\//, '').replace(/\/[^/]*$/, '');
}

/**
 * The same of a live cluster, by paged lists. Nothing is changed. What cannot be read is left out, and named in
 * `unreadable`. O(objects).
 */
export async function readLiveQueueing(
  client: Pick<ApiClient, 'request'>,
  clock: Clock,
): Promise<Result<SeenCluster, ClusterFailure>> {
  const gathered = new Gathered(new Discovery(client, clock));
  for (const { path, query, isOptional, isServed, see } of gathered.lists) {
    const served = isServed === undefined ? ok(true) : await isServed();
    if (!served.ok) return served;
    if (!served.value) continue;
    const listed = await listAll(client, path, takeAll(see), query);
    if (!listed.ok && !(isOptional && isAbsent(listed.error))) return listed;
  }
  return ok(gathered.seen);
}

function takeAll(see: (object: Fields) => void): (object: Fields) => boolean {
  return (object) => {
    see(object);
    return true;
  };
}

function isAbsent({ code }: ClusterFailure): boolean {
  return code === 'unsupported' || code === 'forbidden';
}

const KINDS: readonly string[] = [...JOB_KINDS.map(({ kind }) => kind), 'Workload'];

/**
 * The jobs that a file asks for, YAML or JSON; `-` is standard input. `namespace`: of those that name none. One that
 * names no queue is refused, and objects of other kinds are passed over. O(objects).
 */
export async function readSubmissions(
  path: string,
  namespace: string,
  stdin?: Readable,
): Promise<Result<QueueingEvent[], InputError>> {
  const events: QueueingEvent[] = [];
  const read = await readDocuments(
    path,
    (object) => {
      const event = submissionOf(withUid(object, namespace, events.length));
      if (event !== null) events.push(event);
    },
    stdin,
  );
  if (!read.ok) return read;
  if (events.length > 0) return ok(events);
  const fault = new InputFault('not-a-workload', null, `one of ${KINDS.join(', ')}`, NOT_SHOWN);
  return err(inputError(fault, { file: path, line: null, column: null, subject: '' }));
}

function submissionOf(object: Fields): QueueingEvent | null {
  const name = textAt(object, 'kind');
  if (name === 'Workload' && textAt(object, 'apiVersion') === QUEUEING_VERSION) {
    return { kind: 'workload-seen', workload: workloadObjectOf(object) };
  }
  const kind = JOB_KINDS.find((each) => each.kind === name);
  if (kind === undefined) return null;
  const metadata = fieldsAt(object, 'metadata');
  if (queueAskOf(metadata) === null) {
    const path = { parent: below(metadata, 'labels'), key: QUEUE_LABEL };
    throw new InputFault('missing', path, 'the name of a queue', undefined);
  }
  const read = readJob(object, kind);
  return read === null ? null : { kind: 'job-seen', job: read.job };
}

/** An object that was never written has neither a uid nor, perhaps, a namespace. */
function withUid(object: Fields, namespace: string, index: number): Fields {
  const metadata = fieldsAt(object, 'metadata');
  const { values } = metadata;
  const name = textAt(metadata, 'generateName').replace(/-$/, '');
  const whole = {
    ...values,
    ...(has(metadata, 'name') || name === '' ? {} : { name }),
    ...(has(metadata, 'namespace') || namespace === '' ? {} : { namespace }),
    uid: `dry-run-${index}`,
  };
  return fieldsOf({ ...object.values, metadata: whole }, object.path);
}
