/** What goes wrong between one client and the world. All but `isCutOff` may be changed at will. */
export interface Faults {
  /** Nothing gets through in either direction; open watches are cut. Set by `LabCluster.setCutOff`. */
  isCutOff: boolean;
  /** Orders, leases excepted, take this long there and as long back; the real time is drawn up to it. */
  requestMs: number;
  /** Changes are told this late; the real time is drawn up to it, and their order is kept. */
  watchLagMs: number;
  /** The watch says nothing more, and does not break: only a new list shows what is. */
  isWatchStalled: boolean;
  /** Of a thousand orders so many get lost, lose their answer, are answered by an error though they were done, or by a request to wait. */
  lostPerMille: number;
  unansweredPerMille: number;
  wrongErrorPerMille: number;
  throttledPerMille: number;
  /** Of a thousand changes so many are told twice. */
  repeatedPerMille: number;
}

export function noFaults(): Faults {
  return {
    isCutOff: false,
    requestMs: 2,
    watchLagMs: 2,
    isWatchStalled: false,
    lostPerMille: 0,
    unansweredPerMille: 0,
    wrongErrorPerMille: 0,
    throttledPerMille: 0,
    repeatedPerMille: 0,
  };
}
