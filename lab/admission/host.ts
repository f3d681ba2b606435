import { Admission, type AdmissionCommand, type AdmissionOptions } from '@springtide/core/admission';
import type { QuotaSpecs } from '@springtide/core/model';
import type { AdmissionWorld } from './world.ts';
import { Watch } from './watch.ts';

/** Steps in a row at one instant, at most: more is a loop. */
const STEPS_MAX = 1000;

/** Admission in a world, as a service would run it, with a watch on all that it orders. */
export class AdmissionHost {
  readonly world: AdmissionWorld;
  readonly options: AdmissionOptions;
  readonly watch: Watch;
  /** Jobs that one step may try. */
  work = 100;
  #specs: QuotaSpecs;
  #admission: Admission;
  #wakeAtMs = 0;

  constructor(world: AdmissionWorld, options: AdmissionOptions, specs: QuotaSpecs) {
    this.world = world;
    this.options = options;
    this.#specs = specs;
    this.watch = new Watch(world, options);
    this.#admission = new Admission(options);
    this.restart();
  }

  get admission(): Admission {
    return this.#admission;
  }

  get specs(): QuotaSpecs {
    return this.#specs;
  }

  /** Another quota tree, which may be refused. */
  edit(specs: QuotaSpecs): void {
    this.world.inbox.push({ kind: 'quota', specs });
    this.#decide();
  }

  /** The process ends, what it was told is lost, and another finds the world as it is. */
  restart(): void {
    const { world } = this;
    this.#admission = new Admission(this.options);
    world.inbox = [{ kind: 'quota', specs: this.#specs }, ...world.found()];
    this.watch.restarted();
    this.#decide();
  }

  passTo(untilMs: number): void {
    const { agenda } = this.world;
    while (agenda.nowMs < untilMs) {
      agenda.passTo(Math.min(untilMs, agenda.nextAtMs, Math.max(this.#wakeAtMs, agenda.nowMs + 1)));
      if (this.world.inbox.length > 0 || this.#wakeAtMs <= agenda.nowMs) this.#decide();
    }
  }

  #decide(): void {
    const { world } = this;
    for (let steps = 0; ; steps += 1) {
      const events = world.inbox;
      world.inbox = [];
      const { commands, more, wakeAtMs } = this.#admission.step(world.nowMs, events, this.work);
      for (const event of events) if (event.kind === 'quota') this.#take(event.specs, commands);
      this.watch.see(commands, this.#specs);
      world.act(commands);
      this.#wakeAtMs = wakeAtMs ?? Infinity;
      if (!more) return;
      if (steps > STEPS_MAX) return this.watch.fail('I11: steps without end at one instant');
    }
  }

  #take(specs: QuotaSpecs, commands: readonly AdmissionCommand[]): void {
    if (commands.some(({ kind }) => kind === 'refuse-quota')) return;
    this.#specs = specs;
    this.watch.edited();
  }
}
