import type { CardTemplate, Toleration } from '@springtide/core/model';

/** A pod or a workload that has this label gets what the card template of that name asks for. */
export const TEMPLATE_LABEL = 'springtide.io/template';
/** On such a pod: of which vendor its cards have to be, where a template leaves the choice. */
export const VENDOR_LABEL = 'springtide.io/vendor';
/** On a namespace, with the value `true`: its pods with cards are ours. */
export const SCHEDULE_LABEL = 'springtide.io/schedule';

/** A resource that a container asks for. */
export interface AskedResource {
  readonly resource: string;
  /** As it is written, such as `3Gi`. */
  readonly text: string;
  /** In its own unit; null: it is no quantity, which the API server refuses itself. */
  readonly amount: number | null;
  /** Where it stands, such as `spec.containers[0].resources.limits["nvidia.com/gpu"]`. */
  readonly field: string;
}

export interface AskedContainer {
  /** Where the container stands, such as `spec.containers[0]`. */
  readonly field: string;
  /** Resources of card vendors only, limits before requests. */
  readonly cards: readonly AskedResource[];
}

/** A pod that is to be made, or the pods that a workload is to make, as somebody wants them. */
export interface AskedPods {
  /** Where they stand in the object: empty for a pod, else such as `spec.template.`: then they are yet to be made. */
  readonly prefix: string;
  /** The template that the object itself names, that its pods name, and that it named before. Empty: none. */
  readonly template: { readonly own: string; readonly ofPods: string; readonly former: string };
  /** It names a template by an annotation, which nobody reads. */
  readonly hasAnnotatedTemplate: boolean;
  /** Labels of the pods: the vendor, such as `ascend`, and the isolated pool. Empty: any vendor, no pool. */
  readonly vendor: string;
  readonly pool: string;
  readonly schedulerName: string;
  /** Init containers first. */
  readonly containers: readonly AskedContainer[];
  /** Which of them gets the cards of a template; -1: there is none. */
  readonly mainContainer: number;
  readonly tolerations: readonly Toleration[];
}

/** What a pod gets. */
export interface PodChanges {
  /** Null: it keeps its own. */
  readonly schedulerName: string | null;
  /** Limits of its main container. */
  readonly limits: ReadonlyMap<string, number>;
  /** Beside those that it has. */
  readonly tolerations: readonly Toleration[];
  /** Labels of its own, or of the pods of a workload; null: the label goes. */
  readonly labels: ReadonlyMap<string, string | null>;
}

export type PodVerdict =
  | { readonly verdict: 'admitted'; readonly changes: PodChanges; readonly warnings: readonly string[] }
  | { readonly verdict: 'refused'; readonly message: string };

/** What the cluster's cards of one resource are like. */
export interface OfferedCards {
  /** The largest card; 0: the cluster does not tell. */
  readonly memoryMiBMax: number;
  /** Some can be cut by memory. */
  readonly isCut: boolean;
}

/** What can be asked for in a cluster, as it was last seen. */
export interface CardCatalogue {
  /** Asked of the API server where it has not been seen; null: there is none. Rejects where nobody can say. */
  readonly template: (name: string) => Promise<CardTemplate | null>;
  readonly templateNames: () => readonly string[];
  /** By card resource. */
  readonly cards: () => ReadonlyMap<string, OfferedCards>;
}
