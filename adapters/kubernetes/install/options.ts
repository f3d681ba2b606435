import { err, ok, type Result } from '@springtide/core/base';

export interface InstallOptions {
  readonly namespace: string;
  /** Such as `registry.example.com/springtide:0.1.0`. */
  readonly image: string;
  /** Of the program, such as `0.1.0`. */
  readonly version: string;
  /** Whose certificate the webhook serves with: of an authority of its own where nothing is said. */
  readonly certificates?: 'own' | 'cert-manager';
}

export interface BadOption {
  readonly option: 'namespace' | 'image';
  readonly value: string;
}

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** A repository, and a tag or a digest: what runs has to be told, not guessed. */
const IMAGE = /^[a-z0-9][\w.:/-]{0,400}(:[\w][\w.-]{0,127}|@sha256:[0-9a-f]{64})$/;

/** Refuses a namespace that is no DNS label, and an image without a tag or digest. */
export function checkInstallOptions(options: InstallOptions): Result<InstallOptions, BadOption> {
  const { namespace, image } = options;
  if (!NAMESPACE.test(namespace)) return err({ option: 'namespace', value: namespace });
  if (!IMAGE.test(image)) return err({ option: 'image', value: image });
  return ok(options);
}
