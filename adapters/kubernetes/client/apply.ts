import type { Result } from '@springtide/core/base';
import type { ClusterFailure } from '@springtide/ports/cluster';
import type { ApiClient, ApiRequest } from './api-client.ts';

/** An object as its controller wants it: exactly the fields it cares for. */
export interface AppliedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly [field: string]: unknown;
}

export interface ApplyOptions {
  /** Such as `/apis/springtide.io/v1alpha1/queues`; the object's name goes behind it. */
  readonly path: string;
  /** One for each controller: fields that it no longer applies are taken away, those of others stay. */
  readonly fieldManager: string;
  /** Empty, or such as `status`. */
  readonly subresource?: string;
  /** Takes over fields that others have set; else such a conflict is an answer. */
  readonly force?: boolean;
}

/** Server-side apply: makes the object, or changes it to be as wanted in the fields of this manager. */
export function applyObject(
  client: Pick<ApiClient, 'request'>,
  object: AppliedObject,
  options: ApplyOptions,
): Promise<Result<unknown, ClusterFailure>> {
  return client.request(applyRequest(object, options));
}

export function applyRequest(object: AppliedObject, options: ApplyOptions): ApiRequest {
  const { path, fieldManager, subresource = '', force = false } = options;
  const name = encodeURIComponent(object.metadata.name);
  return {
    method: 'PATCH',
    path: `${path}/${name}${subresource === '' ? '' : `/${subresource}`}`,
    query: { fieldManager, force: String(force) },
    contentType: 'application/apply-patch+yaml',
    body: object,
  };
}
