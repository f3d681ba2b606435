import type {
  Constraints,
  HostPort,
  NodeSelectorTerm,
  PreferredNodeTerm,
  Toleration,
  TopologySpread,
} from '@springtide/core/model';
import { booleanAt, type Fields, fieldsAt, has, integerAt, itemsAt, textAt, textMapAt } from './fields.ts';
import { type Owner, requiredPodTerms } from './pod-affinity.ts';
import { expressionsAt, labelSelectorAt, withLabelKeys } from './selectors.ts';

const INT32 = 2 ** 31 - 1;

/**
 * What the pod's spec says about machines and neighbours. `machine` and volumes are left open: the caller knows
 * whether it binds, and whoever sees claims and volumes puts those in.
 */
export function constraintsOf(spec: Fields, owner: Owner): Constraints {
  const affinity = fieldsAt(spec, 'affinity');
  const nodeAffinity = fieldsAt(affinity, 'nodeAffinity');
  return {
    nodeTerms: requiredTerms(nodeAffinity),
    nodeSelector: textMapAt(spec, 'nodeSelector'),
    nodePreferred: preferredTerms(nodeAffinity),
    tolerations: tolerationsOf(spec),
    podAffinity: requiredPodTerms(affinity, 'podAffinity', owner),
    podAntiAffinity: requiredPodTerms(affinity, 'podAntiAffinity', owner),
    topologySpread: spreadOf(spec, owner),
    hostPorts: hostPortsOf(spec),
    volumes: [],
    exclusiveClaims: [],
    machine: '',
  };
}

function requiredTerms(nodeAffinity: Fields): NodeSelectorTerm[] | null {
  const key = 'requiredDuringSchedulingIgnoredDuringExecution';
  if (!has(nodeAffinity, key)) return null;
  // A term without expressions matches no machine, so it is dropped; with no terms left, none matches.
  return itemsAt(fieldsAt(nodeAffinity, key), 'nodeSelectorTerms').map(nodeTerm).filter(isNotEmpty);
}

function nodeTerm(term: Fields): NodeSelectorTerm {
  return { expressions: expressionsAt(term, 'matchExpressions'), fields: expressionsAt(term, 'matchFields') };
}

function isNotEmpty(term: NodeSelectorTerm): boolean {
  return term.expressions.length + term.fields.length > 0;
}

function preferredTerms(nodeAffinity: Fields): PreferredNodeTerm[] {
  return itemsAt(nodeAffinity, 'preferredDuringSchedulingIgnoredDuringExecution').map(preferredTerm).filter(isNotEmpty);
}

function preferredTerm(item: Fields): PreferredNodeTerm {
  const weight = integerAt(item, 'weight', { absent: 1, min: 1, max: 100 });
  return { weight, ...nodeTerm(fieldsAt(item, 'preference')) };
}

export function tolerationsOf(spec: Fields): Toleration[] {
  return itemsAt(spec, 'tolerations').flatMap((item): Toleration[] => {
    const operator = textAt(item, 'operator', 'Equal');
    // Comparisons by number (Gt, Lt) are not understood: the taint then counts as not tolerated.
    if (operator !== 'Equal' && operator !== 'Exists') return [];
    return [{ key: textAt(item, 'key'), operator, value: textAt(item, 'value'), effect: textAt(item, 'effect') }];
  });
}

function spreadOf(spec: Fields, owner: Owner): TopologySpread[] {
  return itemsAt(spec, 'topologySpreadConstraints')
    .filter((item) => textAt(item, 'whenUnsatisfiable') === 'DoNotSchedule')
    .map((item) => ({
      topologyKey: textAt(item, 'topologyKey'),
      maxSkew: integerAt(item, 'maxSkew', { absent: 1, min: 1, max: INT32 }),
      minDomains: integerAt(item, 'minDomains', { absent: 1, min: 1, max: INT32 }),
      selector: withLabelKeys(labelSelectorAt(item, 'labelSelector'), item, owner.labels),
      nodeAffinityPolicy: policy(item, 'nodeAffinityPolicy', 'Honor'),
      nodeTaintsPolicy: policy(item, 'nodeTaintsPolicy', 'Ignore'),
    }));
}

function policy(item: Fields, key: string, absent: 'Honor' | 'Ignore'): 'Honor' | 'Ignore' {
  const text = textAt(item, key, absent);
  return text === 'Honor' || text === 'Ignore' ? text : absent;
}

/** Ports of containers and sidecars on the machine itself; under host networking every port is one. */
function hostPortsOf(spec: Fields): HostPort[] {
  const isOnHost = booleanAt(spec, 'hostNetwork');
  const sidecars = itemsAt(spec, 'initContainers').filter((item) => textAt(item, 'restartPolicy') === 'Always');
  const range = { absent: 0, min: 0, max: 65535 };
  return [...itemsAt(spec, 'containers'), ...sidecars].flatMap((container) =>
    itemsAt(container, 'ports').flatMap((item): HostPort[] => {
      const port = integerAt(item, 'hostPort', range) || (isOnHost ? integerAt(item, 'containerPort', range) : 0);
      if (port === 0) return [];
      return [{ ip: textAt(item, 'hostIP') || '0.0.0.0', port, protocol: textAt(item, 'protocol', 'TCP') }];
    }),
  );
}
