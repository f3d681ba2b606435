/** One step of a JSON Patch (RFC 6902). `path` is a JSON pointer: see `pointer`. */
export type PatchStep =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** What is answered to the API server. Warnings are shown by kubectl. */
export type AdmissionAnswer =
  | { readonly answer: 'allowed'; readonly patch: readonly PatchStep[]; readonly warnings: readonly string[] }
  /** `message` is for people: it says what is wrong and what would be right. */
  | { readonly answer: 'denied'; readonly message: string };

/** Let through as it is. */
export const UNCHANGED: AdmissionAnswer = { answer: 'allowed', patch: [], warnings: [] };

/** `/spec/containers/0/resources/limits/nvidia.com~1gpu`: `~` and `/` are escaped. */
export function pointer(...keys: readonly (string | number)[]): string {
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** kubectl cuts a warning there, and all of them together at 4096. */
const WARNING_LENGTH_MAX = 256;

/** The `response` of the AdmissionReview. */
export function responseOf(uid: string, answer: AdmissionAnswer): object {
  if (answer.answer === 'denied') {
    return { uid, allowed: false, status: { code: 403, reason: 'Forbidden', message: answer.message } };
  }
  const { patch, warnings } = answer;
  const changes = { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
  return {
    uid,
    allowed: true,
    ...(patch.length === 0 ? {} : changes),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map((each) => each.slice(0, WARNING_LENGTH_MAX)) }),
  };
}
