/** What may be known of a job before it runs that says something of how long it will. Empty text: not known. */
export interface RunTimeTraits {
  readonly tenant: string;
  /** Cards of all its pods together. */
  readonly cards: number;
  readonly user: string;
  /** Its name without what is different in each run. */
  readonly name: string;
  readonly image: string;
}

/**
 * The keys under which runs like it are found, the finest first: the same user, name and image, then less and less in
 * common. Traits that are not known are left out, and no key is there twice.
 */
export function keysOf({ tenant, cards, user, name, image }: RunTimeTraits): string[] {
  const keys = [
    [tenant, cards, user, name, image],
    [tenant, cards, user, name, ''],
    [tenant, cards, user, '', ''],
    [tenant, cards, '', '', image],
    [tenant, cards, '', '', ''],
    ['', cards, '', '', ''],
    [tenant, '', '', '', ''],
  ];
  return [...new Set(keys.map((key) => JSON.stringify(key)))];
}
