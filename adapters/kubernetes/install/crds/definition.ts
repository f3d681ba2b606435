import type { AppliedObject } from '../../client/apply.ts';

/** What `kubectl get` shows of an object of a kind. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
}

export function column(name: string, type: string, jsonPath: string): Column {
  return { name, type, jsonPath };
}

interface Definition {
  readonly kind: string;
  /** Absent: its objects are of the whole cluster. */
  readonly isNamespaced?: boolean;
  readonly shortName: string;
  readonly columns: readonly Column[];
  readonly spec: object;
  /** Absent: it has none. */
  readonly status?: object;
}

/** A kind of ours, in its one version. */
export function definitionOf({
  kind,
  isNamespaced = false,
  shortName,
  columns,
  spec,
  status,
}: Definition): AppliedObject {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.springtide.io` },
    spec: {
      group: 'springtide.io',
      scope: isNamespaced ? 'Namespaced' : 'Cluster',
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames: [shortName] },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          ...(status === undefined ? {} : { subresources: { status: {} } }),
          additionalPrinterColumns: columns,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              required: ['spec'],
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { type: 'object' },
                spec,
                ...(status === undefined ? {} : { status }),
              },
            },
          },
        },
      ],
    },
  };
}
