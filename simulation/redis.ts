import { MemoryEventLog } from '../src/events/memory-event-log.js';
import type { EventCursor } from '../src/events/cursor.js';
import type { EventLog, LogListener } from '../src/events/event-log.js';
import type { TurnEvent } from '../src/events/turn-event.js';
import type { SignalBus, StopListening } from '../src/turn/queue/signal-bus.js';
import type { TurnQueue } from '../src/turn/queue/turn-queue.js';
import type { Random } from '../chaos/plan/random.mjs';
import { newActor, type Actor } from './actor.js';
import type { Scheduler } from './scheduler.js';
import type { Services } from './services.js';

interface Consumer {
  actor: Actor;
  handle: () => Promise<void>;
  isBusy: boolean;
}

interface Subscriber {
  actor: Actor;
  turnId: string;
  listener: LogListener;
}

interface Listener {
  actor: Actor;
  /** Called after the network has brought the message. */
  deliver: (turnId: string) => void;
}

/** Time after which the queue gives a dead worker's job to somebody else, in ms. */
const STALLED_MS = 3_000;

/** The log, the queue and the signal bus of a deployment, with the faults of Redis. */
export class SimulatedRedis {
  #log: MemoryEventLog;
  /** The tokens that no worker has taken; another object after a flush. */
  #tokens = { waiting: 0 };
  readonly #server = newActor('redis');
  readonly #consumers = new Set<Consumer>();
  readonly #subscribers = new Set<Subscriber>();
  /** Turns whose appends are published to the subscribers. */
  readonly #published = new Set<string>();
  readonly #cancels = new Set<Listener>();
  readonly #checks = new Set<Listener>();
  readonly #turns = new Set<Listener>();
  readonly #left = new Set<Listener>();
  readonly #alive = new Set<Listener>();
  /** Tokens that wait for some worker. */
  #idle: (() => void)[] = [];

  constructor(
    private readonly scheduler: Scheduler,
    private readonly services: Services,
    private readonly random: Random,
  ) {
    this.#log = this.#newLog();
  }

  /** Loses everything that is stored, as after a flush. */
  flush(): void {
    this.#log = this.#newLog();
    this.#tokens = { waiting: 0 };
    const turnIds = [...this.#published];
    this.#published.clear();
    for (const turnId of turnIds) this.#publishAppends(turnId);
    this.dropConnections();
  }

  /** Breaks the connections of all subscribers, who are told that they may have missed messages. */
  dropConnections(): void {
    for (const { actor, listener } of this.#subscribers) {
      void this.scheduler.gate(actor, 'redis: subscribed again').then(() => listener.onMissed());
    }
  }

  /** A process is gone: its jobs are given to somebody else when their lock ends. */
  forget(actor: Actor): void {
    for (const consumer of this.#consumers) {
      if (consumer.actor === actor) this.#consumers.delete(consumer);
    }
    for (const set of [this.#subscribers, this.#cancels, this.#checks, this.#turns]) {
      for (const entry of set) if (entry.actor === actor) set.delete(entry as never);
    }
  }

  logOf(actor: Actor): EventLog {
    const call = <T>(what: string, run: () => Promise<T>): Promise<T> =>
      this.#call(actor, what, run);
    return {
      begin: (turnId: string, attempt: number) =>
        call(`log begin ${attempt}`, () => this.#log.begin(turnId, attempt)),
      append: (
        turnId: string,
        attempt: number,
        events: readonly TurnEvent[],
        before?: EventCursor,
      ) =>
        call(`log append ${describe(events)}`, () =>
          this.#log.append(turnId, attempt, events, before),
        ),
      read: (turnId: string, after?: EventCursor) =>
        call('log read', () => this.#log.read(turnId, after)),
      subscribe: async (turnId: string, listener: LogListener) => {
        const entry = { actor, turnId, listener: this.#overNetwork(actor, listener) };
        await call('log subscribe', async () => {
          this.#subscribers.add(entry);
          this.#publishAppends(turnId);
        });
        return () => this.#subscribers.delete(entry);
      },
      remove: (turnIds: readonly string[]) => call('log remove', () => this.#log.remove(turnIds)),
      ping: () => call('log ping', async () => undefined),
      close: async () => undefined,
    };
  }

  queueOf(actor: Actor): TurnQueue {
    const call = <T>(what: string, run: () => Promise<T>): Promise<T> =>
      this.#call(actor, what, run);
    const own = new Set<Promise<void>>();
    let consumer: Consumer | undefined;
    return {
      wake: () =>
        call('wake', async () => {
          this.#tokens.waiting += 1;
          void this.#hand(this.#tokens);
        }),
      consume: async (handler: () => Promise<void>) => {
        const handle = (): Promise<void> => {
          const run = handler().finally(() => own.delete(run));
          own.add(run);
          return run;
        };
        consumer = { actor, handle, isBusy: false };
        await call('consume', async () => undefined);
        this.#consumers.add(consumer);
        this.#wake();
      },
      depth: () => call('queue depth', async () => this.#tokens.waiting),
      workers: async () => this.#consumers.size,
      ping: () => call('queue ping', async () => undefined),
      close: async () => {
        if (consumer !== undefined) this.#consumers.delete(consumer);
        await Promise.allSettled(own);
      },
    };
  }

  busOf(actor: Actor): SignalBus {
    const listen = async (
      listeners: Set<Listener>,
      deliver: (turnId: string) => void,
    ): Promise<StopListening> => {
      const entry = { actor, deliver };
      await this.#call(actor, 'subscribe', async () => listeners.add(entry));
      return () => listeners.delete(entry);
    };
    const workerId = actor.name;
    return {
      workerId,
      publishTurn: (preferred: string) =>
        this.#call(actor, `publish turn for ${preferred}`, async () =>
          this.#publish(this.#turns, preferred),
        ),
      onTurn: (listener) =>
        listen(this.#turns, (preferred) => {
          if (preferred === workerId) listener();
        }),
      publishCancel: (turnId: string) =>
        this.#call(actor, `publish cancel ${turnId}`, async () =>
          this.#publish(this.#cancels, turnId),
        ),
      onCancel: (listener) => listen(this.#cancels, listener),
      publishReaderCheck: () =>
        this.#call(actor, 'publish reader check', async () => this.#publish(this.#checks, '')),
      onReaderCheck: (listener) => listen(this.#checks, () => listener()),
      publishLeft: (digest: string) =>
        this.#call(actor, `publish left ${digest}`, async () => this.#publish(this.#left, digest)),
      onLeft: (listener) => listen(this.#left, listener),
      publishAlive: (name: string) =>
        this.#call(actor, `publish alive ${name}`, async () => this.#publish(this.#alive, name)),
      onAlive: (listener) => listen(this.#alive, listener),
      close: async () => undefined,
    };
  }

  /** A message is lost, doubled or late for each listener by itself. */
  #publish(listeners: Set<Listener>, turnId: string): void {
    for (const { actor, deliver } of listeners) {
      const times = this.random.pick([0, 1, 1, 1, 1, 1, 2]);
      for (let time = 0; time < times; time += 1) {
        void this.scheduler.gate(actor, `redis: signal ${turnId}`).then(() => deliver(turnId));
      }
    }
  }

  #publishAppends(turnId: string): void {
    if (this.#published.has(turnId)) return;
    this.#published.add(turnId);
    const onEvents = (events: readonly TurnEvent[]): void => {
      for (const subscriber of this.#subscribers) {
        if (subscriber.turnId === turnId) subscriber.listener.onEvents(events);
      }
    };
    void this.#log.subscribe(turnId, { onEvents, onMissed: () => undefined });
  }

  /** Brings the batches of a log to a process in their order. */
  #overNetwork(actor: Actor, listener: LogListener): LogListener {
    let last = Promise.resolve();
    return {
      onEvents: (events) => {
        last = last
          .then(() => this.scheduler.gate(actor, `redis: ${describe(events)}`))
          .then(() => listener.onEvents(events));
      },
      onMissed: () => listener.onMissed(),
    };
  }

  async #call<T>(actor: Actor, what: string, run: () => Promise<T>): Promise<T> {
    await this.services.reach(actor, 'redis', what);
    const outcome = await run().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await this.services.answer(actor, 'redis', what);
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  #newLog(): MemoryEventLog {
    return new MemoryEventLog(this.scheduler.clockOf(this.#server));
  }

  /** Gives a token to some worker that has none; when that worker dies, to another. */
  async #hand(tokens: { waiting: number }): Promise<void> {
    for (let tries = 0; tries < 10; tries += 1) {
      const consumer = await this.#freeConsumer();
      // A flush has lost the token.
      if (tokens !== this.#tokens) return;
      if (tries === 0) tokens.waiting -= 1;
      consumer.isBusy = true;
      const handled = this.scheduler
        .gate(consumer.actor, 'job')
        .then(() => consumer.handle())
        .then(
          () => 'done' as const,
          () => 'failed' as const,
        );
      const outcome = await Promise.race([handled, this.#stalled(consumer.actor)]);
      consumer.isBusy = false;
      this.#wake();
      if (outcome !== 'stalled') return;
      await this.#pause(STALLED_MS);
    }
  }

  async #freeConsumer(): Promise<Consumer> {
    for (;;) {
      const free = [...this.#consumers].filter(({ actor, isBusy }) => !actor.isDead && !isBusy);
      if (free.length > 0) return this.random.pick(free);
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
  }

  /** Resolves once a process has died. */
  async #stalled(actor: Actor): Promise<'stalled'> {
    while (!actor.isDead) await this.#pause(1_000);
    return 'stalled';
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.scheduler.clockOf(this.#server).after(ms, resolve));
  }

  #wake(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

function describe(events: readonly TurnEvent[]): string {
  return events.map(({ type }) => type).join(' ');
}
