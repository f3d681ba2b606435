import { type ClusterFailure, clusterFailure } from '@springtide/ports/cluster';
import type { Faults } from './faults.ts';
import type { LabWorld } from './lab-world.ts';

/** How long an order waits for its answer. */
const TIMEOUT_MS = 10_000;

/** Sends orders to the world and brings answers back, with all that can go wrong on the way. */
export class Journeys {
  readonly #world: LabWorld;
  readonly #faults: Faults;

  constructor(world: LabWorld, faults: Faults) {
    this.#world = world;
    this.#faults = faults;
  }

  /** `act` is what the world does with the order when it arrives. */
  send<T>(act: () => T, failed: (failure: ClusterFailure) => T): Promise<T> {
    const { clock, random } = this.#world;
    const faults = this.#faults;
    if (faults.isCutOff) return Promise.resolve(failed(clusterFailure('unreachable', 'nobody answers')));
    const thereMs = random.below(faults.requestMs + 1);
    const fate = this.#fate();
    return new Promise((resolve) => {
      const cancel = clock.after(TIMEOUT_MS, () => resolve(failed(clusterFailure('interrupted', 'no answer'))));
      clock.after(thereMs, () => {
        if (fate === 'lost' || faults.isCutOff) return;
        const answer = fate === 'throttled' ? failed(clusterFailure('throttled', 'too many requests', 1000)) : act();
        clock.after(random.below(faults.requestMs + 1), () => {
          if (fate === 'unanswered' || faults.isCutOff) return;
          cancel();
          resolve(fate === 'wrong error' ? failed(clusterFailure('server', 'etcdserver: request timed out')) : answer);
        });
      });
    });
  }

  #fate(): 'well' | 'lost' | 'unanswered' | 'wrong error' | 'throttled' {
    const { lostPerMille, unansweredPerMille, wrongErrorPerMille, throttledPerMille } = this.#faults;
    let draw = this.#world.random.below(1000);
    if (draw < lostPerMille) return 'lost';
    draw -= lostPerMille;
    if (draw < unansweredPerMille) return 'unanswered';
    draw -= unansweredPerMille;
    if (draw < wrongErrorPerMille) return 'wrong error';
    draw -= wrongErrorPerMille;
    return draw < throttledPerMille ? 'throttled' : 'well';
  }
}
