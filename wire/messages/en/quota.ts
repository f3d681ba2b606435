export const quota = {
  fault: '{object} {id}: {field}: {problem}',
  object: { flavor: 'flavor', cohort: 'cohort', queue: 'queue' },
  problem: {
    'duplicate-id': '{value} is there already; give each a name of its own',
    'unknown-flavor': 'there is no flavor {value}; create it first, or name one that exists',
    'unknown-cohort': 'there is no cohort {value}; create it first, or name one that exists',
    cycle: 'it would be above itself ({value}); take one of these out',
    'too-deep': 'more than {deepest} cohorts above each other; put fewer between it and the root',
    'not-an-amount': '{value} is no amount; a whole number from 0 to {most} was expected',
    'floor-above-nominal': 'the floor may not exceed the nominal quota, but {value}; lower the one or raise the other',
    'duplicate-cell': '{value} is there twice; join the two',
    'duplicate-flavor': '{value} is listed twice; leave one out',
    'flavor-not-listed': "flavor {value} is not in the queue's list of flavors; add it there",
    'in-use': 'still in use ({value}); set its nominal quota to 0 and wait until nothing runs there',
  },
} as const;
