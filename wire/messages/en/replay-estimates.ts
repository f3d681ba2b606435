/** `springtide replay --estimates`: how good the waits are that jobs are told. */
export const replayEstimates = {
  bad: { queue: '--estimates tells waits under fifo and greedy: name one of them with --queue' },
  scores:
    'of {waited} jobs that waited and were told how long at their submission (one in {every} of all that had to) {within} % were told it within 10 min or a quarter; "now" was right for {now} %; P90 covered {covered} % of those told one, {all} % with those told "now"; bias {bias} s, mean wait {mean} s',
  title: 'Waits told and waits true',
  told: 'wait told (P50)',
  hours: 'h',
  covered: 'waited no longer than told',
  coverageNote: 'P50 should cover half of the jobs and P90 nine tenths, whatever was told.',
  waited: 'true wait',
  median: 'median',
  asTold: 'as told',
  truthNote: 'Groups of equal size by the wait told; both axes are logarithmic.',
} as const;
