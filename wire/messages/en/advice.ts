/** When a job would start, flavor by flavor. */
export const advice = {
  flavor: '{flavor}: {start}',
  dearer: '{flavor}: {start}, dearer',
  cheaper: '{flavor}: {start}, cheaper',
  now: 'now',
  later: 'about {p50} (9 of 10: within {p90})',
  unforeseeable: 'not foreseeable',
  minutes: '{count} min',
  hours: '{count} h',
  days: '{count} d',
} as const;
