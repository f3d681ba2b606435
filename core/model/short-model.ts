/** Words that a product name carries for its maker, and that tell no product. */
const MAKERS = new Set([
  'NVIDIA',
  'TESLA',
  'GEFORCE',
  'RTX',
  'QUADRO',
  'AMD',
  'INSTINCT',
  'MTT',
  'ASCEND',
  'INTEL',
  'HYGON',
  'METAX',
]);

/** The word of a product name that people say: `A100` of `NVIDIA-A100-SXM4-80GB`, `MI300X` of `AMD_Instinct_MI300X_OAM`. */
function spokenWord(model: string): string {
  const words = model.split(/[-_\s]+/).filter((word) => word !== '');
  const telling = words.filter((word) => !MAKERS.has(word.toUpperCase()));
  return telling.find((word) => /\d/.test(word)) ?? telling[0] ?? model;
}

export interface NamedModel {
  /** The cluster's own product name; empty when it tells none. */
  readonly model: string;
  /** Such as `huawei.com/Ascend310P`: speaks where the model is silent. */
  readonly resource: string;
  readonly vendor: string;
}

function nameOf({ model, resource, vendor }: NamedModel): string {
  if (model !== '') return spokenWord(model);
  const tail = resource.slice(resource.lastIndexOf('/') + 1);
  return /\d/.test(tail) ? tail : vendor;
}

/**
 * Short names for pictures. Products that would share one keep their full names, so that a short name never
 * stands for two products.
 */
export function shortModels(models: readonly NamedModel[]): (model: NamedModel) => string {
  const full = new Map<string, Set<string>>();
  const fullName = ({ model, resource }: NamedModel): string => (model === '' ? resource : model);
  for (const model of models) {
    const short = nameOf(model);
    full.set(short, (full.get(short) ?? new Set()).add(fullName(model)));
  }
  return (model) => {
    const short = nameOf(model);
    return (full.get(short)?.size ?? 0) > 1 ? fullName(model) : short;
  };
}
