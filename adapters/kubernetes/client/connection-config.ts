/** Something that is given in place or in a file; a file is read anew whenever a connection is made. */
export type Material =
  | { readonly kind: 'data'; readonly bytes: Buffer }
  | { readonly kind: 'file'; readonly path: string };

export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  /** It wants to be told of the cluster. */
  readonly wantsCluster: boolean;
  /** Where a command with a slash in it is looked for. */
  readonly folder: string;
}

export type Authentication =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'token-file'; readonly path: string }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'exec'; readonly plugin: ExecPlugin };

/** Where an API server is and how to speak to it, from a kubeconfig or from inside a pod. */
export interface ConnectionConfig {
  /** Without a slash at the end; it may have a path. */
  readonly server: string;
  /** The name in its certificate, where it differs from the address; empty: the address. */
  readonly serverName: string;
  /** Its certificate is not checked. */
  readonly isInsecure: boolean;
  /** null: what the system trusts. */
  readonly authority: Material | null;
  readonly certificate: Material | null;
  readonly key: Material | null;
  readonly authentication: Authentication;
  /** `Impersonate-User` and the like. */
  readonly impersonation: ReadonlyMap<string, readonly string[]>;
  /** A proxy's address; empty: none. */
  readonly proxy: string;
  readonly namespace: string;
  /** The name of the cluster in its kubeconfig; empty in a pod. */
  readonly cluster: string;
}
