import type { Clock } from '../src/platform/clock.js';
import type { Random } from '../chaos/plan/random.mjs';
import type { Actor } from './actor.js';

interface Step {
  actor: Actor;
  what: string;
  go(): void;
}

interface Timer {
  actor: Actor;
  at: number;
  order: number;
  callback: () => void;
}

/** Called at each step, before it goes on: the place of faults. */
export type OnStep = (actor: Actor, what: string) => void;

/** Longest time that a step may be late although it could go on, in ms. */
const MAX_LATE_MS = 40;

/** Real time in which a module is loaded, in ms. */
const LOADING_MS = 500;

/** A timer of this delay or more may come a millisecond early, as those of Node.js do, which do not count by the clock. */
const EARLY_FROM_MS = 1_000;

/** Steps of one schedule; more is a deployment that never comes to rest. */
const MAX_STEPS = 60_000;

/**
 * Decides who goes next, at every point where processes of a deployment may overtake each other, and
 * what time it is. Equal seeds make equal schedules.
 */
export class Scheduler {
  /** Virtual time, in ms since the epoch. */
  now: number;
  /** A line for each step: its number, the time since the start, the process and what it does. */
  readonly trace: string[] = [];
  onStep: OnStep = () => undefined;
  #ready: Step[] = [];
  readonly #timers: Timer[] = [];
  #order = 0;
  #steps = 0;

  constructor(
    private readonly random: Random,
    private readonly startedAt: number,
    /** Whether every second long timer comes early, and every second step takes a millisecond. */
    private readonly isTimed = false,
  ) {
    this.now = startedAt;
  }

  /** Number of steps so far. */
  get steps(): number {
    return this.#steps;
  }

  get elapsedMs(): number {
    return this.now - this.startedAt;
  }

  /** Waits until the schedule lets the actor go on; forever for a dead one. */
  gate(actor: Actor, what: string): Promise<void> {
    return new Promise((resolve) => this.#ready.push({ actor, what, go: resolve }));
  }

  /** The clock of an actor: virtual time, by its own setting. */
  clockOf(actor: Actor): Clock {
    return {
      now: () => this.now + actor.skewMs,
      after: (delayMs, callback) => {
        this.#order += 1;
        const isEarly = this.isTimed && this.#order % 2 === 0 && delayMs >= EARLY_FROM_MS;
        const at = this.now + Math.max(0, Math.ceil(delayMs)) - (isEarly ? 1 : 0);
        const timer = { actor, at, order: this.#order, callback };
        this.#timers.push(timer);
        return () => {
          const index = this.#timers.indexOf(timer);
          if (index >= 0) this.#timers.splice(index, 1);
        };
      },
    };
  }

  /** Names of live actors that wait for something. */
  waiting(): string[] {
    const waiting = [...this.#timers, ...this.#ready].filter(({ actor }) => !actor.isDead);
    return [...new Set(waiting.map(({ actor }) => actor.name))];
  }

  note(actor: Actor | undefined, what: string): void {
    const at = this.elapsedMs.toFixed(0).padStart(7);
    this.trace.push(
      `${String(this.#steps).padStart(5)} ${at} ms  ${actor?.name ?? 'world'}: ${what}`,
    );
  }

  /**
   * Runs the deployment until some work is done.
   *
   * @throws what the work throws; Error when nobody can go on, or the bound of time or of steps is
   *   reached.
   */
  async run<T>(work: Promise<T>, maxVirtualMs: number): Promise<T> {
    const endAt = this.now + maxVirtualMs;
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    done.catch(() => undefined);
    for (;;) {
      await settle();
      if (isDone) return done;
      if (this.now > endAt) throw new Error(`Not done after ${maxVirtualMs} ms of virtual time`);
      if (this.#steps > MAX_STEPS) throw new Error(`Not done after ${MAX_STEPS} steps`);
      if (this.#next()) continue;
      // The first process of all loads modules, which no list of the machine's work has.
      await new Promise((resolve) => setTimeout(resolve, LOADING_MS));
      if (!this.#next()) throw new Error('Nobody can go on');
    }
  }

  /** Lets one step go on, or time. @returns false where there is neither. */
  #next(): boolean {
    this.#ready = this.#ready.filter(({ actor }) => !actor.isDead);
    // Files of several processes are read side by side: which is there first is the machine's matter.
    const able = this.#ready
      .filter(({ actor }) => actor.frozenUntil <= this.now)
      .sort((a, b) => (a.actor.name < b.actor.name ? -1 : Number(a.actor.name > b.actor.name)));
    const due = this.#nextTimer();
    const mayWait = due !== undefined && due.at - this.now <= MAX_LATE_MS;
    if (able.length > 0 && !(mayWait && this.random.chance(0.08))) {
      this.#go(this.random.pick(able));
      return true;
    }
    if (due === undefined) return false;
    this.now = Math.max(this.now, due.at);
    if (due.isThaw) return true;
    this.#timers.splice(this.#timers.indexOf(due.timer), 1);
    due.timer.callback();
    return true;
  }

  #go(step: Step): void {
    this.#steps += 1;
    if (this.isTimed && this.#steps % 2 === 0) this.now += 1;
    this.note(step.actor, step.what);
    this.onStep(step.actor, step.what);
    if (step.actor.isDead || step.actor.frozenUntil > this.now) return;
    this.#ready.splice(this.#ready.indexOf(step), 1);
    step.go();
  }

  /** The next timer of somebody who can go on, or the end of a frozen process's sleep. */
  #nextTimer():
    | { at: number; timer: Timer; isThaw: false }
    | { at: number; isThaw: true }
    | undefined {
    let found: { at: number; timer: Timer } | undefined;
    let thawAt = Number.POSITIVE_INFINITY;
    for (let index = this.#timers.length - 1; index >= 0; index -= 1) {
      const timer = this.#timers[index];
      if (timer === undefined) continue;
      if (timer.actor.isDead) {
        this.#timers.splice(index, 1);
        continue;
      }
      const at = Math.max(timer.at, timer.actor.frozenUntil);
      const isFirst =
        found === undefined ||
        at < found.at ||
        (at === found.at && timer.order < found.timer.order);
      if (isFirst) found = { at, timer };
    }
    for (const { actor } of this.#ready) {
      if (actor.frozenUntil > this.now) thawAt = Math.min(thawAt, actor.frozenUntil);
    }
    if (found !== undefined && found.at <= thawAt) return { ...found, isThaw: false };
    return thawAt === Number.POSITIVE_INFINITY ? undefined : { at: thawAt, isThaw: true };
  }
}

/** Lets everything that was let go run until it waits again, at a gate or for a timer. */
async function settle(): Promise<void> {
  do {
    await new Promise((resolve) => setImmediate(resolve));
  } while (isBusy());
}

/** Whether the machine still works for somebody: files are real, and so is the next turn of the event loop. */
function isBusy(): boolean {
  return process
    .getActiveResourcesInfo()
    .some((name) => name.startsWith('FSReq') || name === 'CloseReq' || name === 'Immediate');
}
