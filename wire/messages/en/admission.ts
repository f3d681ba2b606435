/** What the webhook says to whoever makes a pod or a workload: one sentence each. */
export const admission = {
  template: {
    unknown: '{field}: there is no card template {name}; there are {names}.',
    none: '{field}: there is no card template {name}, and no other.',
    differs: '{field} is {pods}, and metadata.labels["springtide.io/template"] is {own}: name one of them.',
    annotated:
      'metadata.annotations["springtide.io/template"] is not read: name the template in metadata.labels["springtide.io/template"].',
    resource: '{field}: the card template {name} sets the cards, so that the pod must not ask for them itself.',
    scheduler: '{field} is {found}: pods of a card template are placed by {ours}; leave it out.',
    pool: '{field} is {found}, and the card template {name} is of the pool {pool}: leave it out.',
    container: 'spec.containers: the pod has no container that could get the cards of the template {name}.',
    vendor: '{field}: there is no card vendor {found}; there are {known}.',
    unfit: '{field}: cards of {vendor} cannot be given as the card template {name} asks; those of {known} can.',
    unmakeable: 'the card template {name} cannot be made of any of its resources: {resources}.',
    uncut: 'No card of {resource} in this cluster can be cut as the template {name} asks: the pod will wait.',
  },
  request: {
    percent: '{field} is {found}: percent of a card’s memory, 1 to 100.',
    memory: '{field} is {found}: it counts {unit} MiB of each card, and no card has that much.',
    memorySuffix: '{field} is {found}: it counts {unit} MiB of each card, without a suffix; for {found} write {right}.',
    compute: '{field} is {found}: a whole card has {most}.',
    largest: '{field} is {found}: the largest card of {resource} in this cluster has {most} MiB, so the pod will wait.',
    kinds: 'A pod gets cards of one kind, and this one asks for {kinds}: it will wait.',
    computeOnly: '{field} without memory takes all the memory of the card: give {memory} too to share it.',
  },
} as const;
