/** Who may import whom. The drawing is in the architecture page; a new edge is a decision, written there first. */

/** Top-level folders: what each may import besides itself. Whoever is not listed may import nothing. */
export const folderEdges: Readonly<Record<string, readonly string[]>> = {
  core: [],
  ports: ['core'],
  wire: ['core'],
  services: ['core', 'ports', 'wire'],
  adapters: ['core', 'ports', 'wire'],
  testkit: ['core', 'ports', 'wire', 'adapters'],
  lab: ['core', 'ports', 'wire', 'adapters', 'services', 'testkit'],
  cli: ['core', 'ports', 'wire', 'adapters', 'services', 'lab'],
  console: ['wire'],
  bench: ['core', 'ports', 'wire', 'adapters', 'services', 'lab', 'testkit'],
  deploy: ['core', 'ports', 'wire', 'adapters', 'services'],
  tools: [],
};

/** What wire may see of core: the nouns. */
export const coreSubjectsForWire: readonly string[] = ['model'];

/** Folders whose subjects do not know each other; the program wires them together. */
export const foldersOfStrangers: readonly string[] = ['adapters', 'services'];

/** Subjects at the bottom of core, and what each may import. */
const foundations: Readonly<Record<string, readonly string[]>> = {
  base: [],
  model: ['base'],
  vendors: ['base', 'model'],
  state: ['base', 'model', 'vendors'],
};

/** What every other subject of core, a policy, may import. */
const knownToPolicies = ['base', 'model', 'vendors', 'state', 'placement', 'quota', 'victims', 'forecast'];

/** What one policy may import beyond that. */
const policyExtras: Readonly<Record<string, readonly string[]>> = {
  estimate: ['admission'],
  progress: ['admission'],
  'scale-in': ['defrag'],
};

export function subjectsKnownTo(coreSubject: string): readonly string[] {
  return foundations[coreSubject] ?? [...knownToPolicies, ...(policyExtras[coreSubject] ?? [])];
}
