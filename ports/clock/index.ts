/** The only way by which services and adapters learn the time or wait: virtual in the lab, the machine's otherwise. */
export interface Clock {
  /** Milliseconds since 1970. It may jump, back too: only for what people read and other machines compare. */
  readonly wallMs: () => number;
  /** Milliseconds since some start; never goes back. Every duration and every deadline is measured by it. */
  readonly nowMs: () => number;
  /** Calls back once after so many milliseconds; the answer cancels it. A pending call keeps no process alive. */
  readonly after: (delayMs: number, callback: () => void) => Cancel;
}

export type Cancel = () => void;
