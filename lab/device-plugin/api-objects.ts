/** What kubelets and plug-ins read of pods and nodes. */

export interface PodObject {
  readonly metadata: {
    readonly uid: string;
    readonly namespace: string;
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly initContainers?: readonly ContainerObject[];
    readonly containers: readonly ContainerObject[];
  };
  readonly status: { readonly phase: string };
}

interface ContainerObject {
  readonly resources?: { readonly limits?: Readonly<Record<string, string>> };
}

export interface NodeObject {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly status: { readonly allocatable?: Readonly<Record<string, string>> };
}
