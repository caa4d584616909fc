import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { Metrics } from '../metrics/metrics.js';
import { assertNever } from '../platform/assert-never.js';
import { settlesWithin } from '../platform/async/settles-within.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { decideOutcome, type Outcome } from './decide-outcome.js';
import { DeliveryPoster } from './delivery-poster.js';
import { DeliveryQueue, type ClaimedDelivery } from './outbox.js';

/** Interval at which the outbox is looked at, in ms: the most that a delivery waits for its first try. */
const POLL_MS = 500;

/** Most requests of a process at a time; of these, to endpoints whose last try failed. */
const MOST_REQUESTS = 200;
const MOST_FAILING = 50;

/** Sends what is due to the endpoints of webhooks. Any number of processes may send beside each other. */
@Injectable()
export class WebhookSender {
  readonly #busy = new Map<string, number>();
  readonly #sending = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #failing = 0;
  #cancelTimer = (): void => undefined;
  #polling: Promise<void> | undefined;
  #isMoreExpected = false;
  #isStopped = false;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly poster: DeliveryPoster,
    @Inject(CONFIG) private readonly config: Pick<Config, 'drainMs'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: Metrics,
  ) {}

  start(): void {
    this.#poll();
  }

  /** Sends nothing more; requests under way have `drainMs` to end, and are given back to other senders then. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.#polling;
    const sent = Promise.all(this.#sending);
    if (await settlesWithin(this.config.drainMs, sent)) return;
    this.#stop.abort(new Error('The process stops'));
    await sent;
  }

  /** Looks at the outbox now, and again at the interval. While it does, one more look is remembered. */
  #poll(): void {
    if (this.#isStopped) return;
    this.#isMoreExpected = true;
    this.#polling ??= this.#pollAll().finally(() => {
      this.#polling = undefined;
      if (!this.#isStopped) this.#cancelTimer = this.clock.after(POLL_MS, () => this.#poll());
    });
  }

  async #pollAll(): Promise<void> {
    this.#cancelTimer();
    try {
      while (this.#isMoreExpected && !this.#isStopped) {
        this.#isMoreExpected = false;
        for (const delivery of await this.#claim()) this.#begin(delivery);
      }
    } catch (error) {
      this.logger.warn({ error }, 'the outbox of webhooks could not be read; it is tried again');
    }
  }

  #claim(): Promise<ClaimedDelivery[]> {
    const most = MOST_REQUESTS - this.#sending.size;
    if (most <= 0) return Promise.resolve([]);
    const mostFailing = Math.min(most, MOST_FAILING - this.#failing);
    return this.queue.claim({ busy: this.#busy, most, mostFailing });
  }

  /** Sends a delivery beside the others; the room that it leaves is for the next. */
  #begin(delivery: ClaimedDelivery): void {
    const { endpointId, isFailing } = delivery;
    this.#busy.set(endpointId, (this.#busy.get(endpointId) ?? 0) + 1);
    if (isFailing) this.#failing += 1;
    const sending = this.#send(delivery)
      .catch((error: unknown) => {
        // The delivery’s lease ends, and it is sent again.
        this.logger.warn(
          { ...namesOf(delivery), error },
          'a webhook’s delivery could not be marked',
        );
      })
      .finally(() => {
        const left = (this.#busy.get(endpointId) ?? 1) - 1;
        if (left === 0) this.#busy.delete(endpointId);
        else this.#busy.set(endpointId, left);
        if (isFailing) this.#failing -= 1;
        this.#sending.delete(sending);
        this.#poll();
      });
    this.#sending.add(sending);
  }

  async #send(delivery: ClaimedDelivery): Promise<void> {
    const { poster, queue } = this;
    const stop = this.#stop.signal;
    let result;
    try {
      result = await poster.post(delivery, stop);
    } catch (error) {
      if (!stop.aborted) throw error;
      return queue.release(delivery);
    }
    const outcome = decideOutcome(result, delivery.failures, Math.random());
    if (await queue.mark(delivery, result, outcome)) this.#note(delivery, outcome);
  }

  #note(delivery: ClaimedDelivery, outcome: Outcome): void {
    const { webhookDeliveries } = this.metrics;
    const about = namesOf(delivery);
    switch (outcome.type) {
      case 'delivered':
        webhookDeliveries.inc({ outcome: 'delivered' });
        return;
      case 'retry':
        webhookDeliveries.inc({ outcome: 'failed' });
        this.logger.info({ ...about, reason: outcome.reason }, 'a webhook’s delivery failed');
        return;
      case 'dead':
        webhookDeliveries.inc({ outcome: 'dead' });
        this.logger.warn({ ...about, reason: outcome.reason }, 'a webhook’s delivery is dead');
        return;
      case 'gone':
        webhookDeliveries.inc({ outcome: 'dead' });
        this.logger.warn(about, 'a webhook is gone, and was disabled');
        return;
      default:
        assertNever(outcome);
    }
  }
}

function namesOf({ endpointId, id }: ClaimedDelivery) {
  return { webhookId: endpointId, deliveryId: id };
}
