import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { isTypedError } from '../../errors/typed-error.js';
import { Metrics } from '../../telemetry/metrics.js';
import {
  assertNever,
  type Clock,
  CLOCK,
  type Logger,
  LOGGER,
  Poller,
  withTimeout,
} from '../../platform/face.js';
import { decideOutcome, type Outcome, type TryResult } from './decide-outcome.js';
import { DeliveryPoster } from './delivery-poster.js';
import { DeliveryQueue, type ClaimedDelivery } from './outbox.js';

/** Interval at which the outbox is looked at, in ms: the most that a delivery waits for its first try. */
const POLL_MS = 500;

/** Most requests of a process at a time; of these, to endpoints whose last try failed. */
const MAX_REQUESTS = 200;
const MAX_FAILING = 50;

/** Sends what is due to the endpoints of webhooks. Any number of processes may send beside each other. */
@Injectable()
export class WebhookSender implements OnModuleDestroy {
  readonly #busy = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #poller: Poller;
  #failing = 0;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly poster: DeliveryPoster,
    @Inject(CONFIG) private readonly config: Pick<Config, 'drainMs'>,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: Metrics,
  ) {
    this.#poller = new Poller(() => this.#look(), {
      clock,
      waitMs: () => POLL_MS,
      onError: (error) =>
        logger.warn({ error }, 'could not read the webhook outbox; trying again in half a second'),
    });
  }

  start(): void {
    this.#poller.now();
  }

  /** Sends nothing more; requests under way have `drainMs` to end, and are given back to other senders then. */
  async onModuleDestroy(): Promise<void> {
    const ended = this.#poller.stop();
    if (await withTimeout(this.config.drainMs, ended)) return;
    this.#stop.abort(new Error('The process stops'));
    await ended;
  }

  async #look(): Promise<void> {
    const most = MAX_REQUESTS - this.#poller.running;
    if (most <= 0) return;
    const maxFailing = Math.min(most, MAX_FAILING - this.#failing);
    const claimed = await this.queue.claim({ busy: this.#busy, maxHealthy: most, maxFailing });
    for (const delivery of claimed) this.#poller.begin(this.#sendCounted(delivery), true);
  }

  /** Sends a delivery, which counts for its endpoint meanwhile. */
  async #sendCounted(delivery: ClaimedDelivery): Promise<void> {
    const { endpointId, isFailing } = delivery;
    this.#busy.set(endpointId, (this.#busy.get(endpointId) ?? 0) + 1);
    if (isFailing) this.#failing += 1;
    try {
      await this.#send(delivery);
    } catch (error) {
      // The delivery’s lease ends, and it is sent again.
      this.logger.warn(
        { ...namesOf(delivery), error },
        'could not store the result of a webhook delivery; it is sent again when its lease ends',
      );
    } finally {
      const left = (this.#busy.get(endpointId) ?? 1) - 1;
      if (left === 0) this.#busy.delete(endpointId);
      else this.#busy.set(endpointId, left);
      if (isFailing) this.#failing -= 1;
    }
  }

  async #send(delivery: ClaimedDelivery): Promise<void> {
    const { queue } = this;
    const stop = this.#stop.signal;
    let result;
    try {
      result = await this.#post(delivery, stop);
    } catch (error) {
      if (!stop.aborted) throw error;
      return queue.release(delivery);
    }
    const outcome = decideOutcome(result, delivery.failures, Math.random());
    if (await queue.mark(delivery, result, outcome)) this.#note(delivery, outcome);
  }

  /** A secret that cannot be opened is a failed try: another process, or a later try, may have the master key. */
  async #post(delivery: ClaimedDelivery, stop: AbortSignal): Promise<TryResult> {
    let secrets;
    try {
      secrets = await this.queue.openSecrets(delivery);
    } catch (error) {
      if (!isTypedError(error, 'SECRET_UNREADABLE')) throw error;
      return { type: 'failed', reason: `nothing was sent: ${error.message}` };
    }
    return this.poster.post({ ...delivery, ...secrets }, stop);
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
        this.logger.info(
          { ...about, reason: outcome.reason },
          'a webhook delivery failed; it is sent again',
        );
        return;
      case 'dead':
        webhookDeliveries.inc({ outcome: 'dead' });
        this.logger.warn(
          { ...about, reason: outcome.reason },
          'a webhook delivery failed for the last time; send it again when its endpoint works',
        );
        return;
      case 'gone':
        webhookDeliveries.inc({ outcome: 'dead' });
        this.logger.warn(about, 'a webhook endpoint answered 410 Gone; the webhook is disabled');
        return;
      default:
        assertNever(outcome);
    }
  }
}

function namesOf({ endpointId, id }: ClaimedDelivery) {
  return { webhookId: endpointId, deliveryId: id };
}
