import type {
  ScheduleRunView,
  ScheduleView,
  UpcomingSlot,
  WantedSchedule,
  DeliveryStatus,
  DeliveryView,
  WantedWebhook,
  WebhookChanges,
  WebhookView,
  WebhookWithSecret,
} from '../server-types.js';
import { newKey, type Transport } from '../transport/transport.js';
import type { Page } from './session-calls.js';

const schedules = '/api/harness/schedules';

/** Turns at times of a clock: `client.schedules`. A schedule is named by the caller's own key of it. */
export class ScheduleCalls {
  constructor(private readonly transport: Transport) {}

  /** Makes a schedule, or replaces the one of that key. */
  put(key: string, wanted: WantedSchedule): Promise<ScheduleView> {
    return this.#one({ method: 'PUT', path: schedulePath(key), body: wanted });
  }

  /** Makes a schedule. @throws TurnpikeError SCHEDULE_EXISTS where there is one of that key. */
  create(key: string, wanted: WantedSchedule): Promise<ScheduleView> {
    const headers = { 'if-none-match': '*' };
    return this.#one({ method: 'PUT', path: schedulePath(key), body: wanted, headers });
  }

  async list(): Promise<ScheduleView[]> {
    return (await this.transport.json<{ schedules: ScheduleView[] }>({ path: schedules }))
      .schedules;
  }

  get(key: string): Promise<ScheduleView> {
    return this.#one({ path: schedulePath(key) });
  }

  /** Fields that are not given stay as they are. */
  change(key: string, changes: Partial<WantedSchedule>): Promise<ScheduleView> {
    return this.#one({ method: 'PATCH', path: schedulePath(key), body: changes });
  }

  pause(key: string): Promise<ScheduleView> {
    return this.#one({ method: 'POST', path: `${schedulePath(key)}/pause` });
  }

  /** Lets a paused schedule go on from now, with the client's API key. */
  resume(key: string): Promise<ScheduleView> {
    return this.#one({ method: 'POST', path: `${schedulePath(key)}/resume` });
  }

  /** Deletes a schedule with the records of its runs. */
  delete(key: string): Promise<ScheduleView> {
    return this.#one({ method: 'DELETE', path: schedulePath(key) });
  }

  /**
   * Submits a turn now, beside the schedule's times.
   *
   * @param idempotencyKey a repeat with the same gives the first run. Default: a new one.
   */
  async trigger(
    key: string,
    { idempotencyKey = newKey() }: { idempotencyKey?: string } = {},
  ): Promise<ScheduleRunView> {
    const headers = { 'idempotency-key': idempotencyKey };
    const call = { method: 'POST' as const, path: `${schedulePath(key)}/trigger`, headers };
    return (await this.transport.json<{ run: ScheduleRunView }>(call)).run;
  }

  /** The runs of a schedule, a record for each slot, the newest first. */
  runs(key: string, page: Page = {}): Promise<{ runs: ScheduleRunView[]; nextCursor?: string }> {
    return this.transport.json({ path: `${schedulePath(key)}/runs`, query: { ...page } });
  }

  /** The next times, also of a paused schedule. @param count at most 100. Default: 10. */
  async upcoming(key: string, count?: number): Promise<UpcomingSlot[]> {
    const call = { path: `${schedulePath(key)}/upcoming`, query: { count } };
    return (await this.transport.json<{ upcoming: UpcomingSlot[] }>(call)).upcoming;
  }

  async #one(call: Parameters<Transport['json']>[0]): Promise<ScheduleView> {
    return (await this.transport.json<{ schedule: ScheduleView }>(call)).schedule;
  }
}

function schedulePath(key: string): string {
  return `${schedules}/${encodeURIComponent(key)}`;
}

export interface DeliveryQuery extends Page {
  /** Default: all. */
  status?: DeliveryStatus;
}

const webhooks = '/api/harness/webhooks';

/** Where events of the caller's turns are sent: `client.webhooks`. */
export class WebhookCalls {
  constructor(private readonly transport: Transport) {}

  /** @returns the webhook, and the secret that signs, which is shown this once. */
  create(wanted: WantedWebhook): Promise<WebhookWithSecret> {
    return this.transport.json({ method: 'POST', path: webhooks, body: wanted });
  }

  async list(): Promise<WebhookView[]> {
    return (await this.transport.json<{ webhooks: WebhookView[] }>({ path: webhooks })).webhooks;
  }

  async get(webhookId: string): Promise<WebhookView> {
    return this.#one({ path: webhookPath(webhookId) });
  }

  /** Fields that are not given stay as they are. */
  change(webhookId: string, changes: WebhookChanges): Promise<WebhookView> {
    return this.#one({ method: 'PATCH', path: webhookPath(webhookId), body: changes });
  }

  /** @param keepOldHours hours for which the secret before it signs as well. Default: 24. */
  rotate(
    webhookId: string,
    { keepOldHours }: { keepOldHours?: number } = {},
  ): Promise<WebhookWithSecret> {
    const path = `${webhookPath(webhookId)}/rotate`;
    return this.transport.json({ method: 'POST', path, body: { keepOldHours } });
  }

  /** Deletes a webhook with its deliveries. */
  delete(webhookId: string): Promise<WebhookView> {
    return this.#one({ method: 'DELETE', path: webhookPath(webhookId) });
  }

  /** Has a `webhook.test` sent. */
  test(webhookId: string): Promise<DeliveryView> {
    return this.#send(`${webhookPath(webhookId)}/test`);
  }

  /** Deliveries that were sent or are to be sent, the newest first. */
  deliveries(
    webhookId: string,
    query: DeliveryQuery = {},
  ): Promise<{ deliveries: DeliveryView[]; nextCursor?: string }> {
    return this.transport.json({
      path: `${webhookPath(webhookId)}/deliveries`,
      query: { ...query },
    });
  }

  /** Has a delivery sent again, under its id and with all its tries. */
  redeliver(webhookId: string, deliveryId: string): Promise<DeliveryView> {
    const delivery = encodeURIComponent(deliveryId);
    return this.#send(`${webhookPath(webhookId)}/deliveries/${delivery}/redeliver`);
  }

  async #one(call: Parameters<Transport['json']>[0]): Promise<WebhookView> {
    return (await this.transport.json<{ webhook: WebhookView }>(call)).webhook;
  }

  async #send(path: string): Promise<DeliveryView> {
    const call = { method: 'POST' as const, path };
    return (await this.transport.json<{ delivery: DeliveryView }>(call)).delivery;
  }
}

function webhookPath(webhookId: string): string {
  return `${webhooks}/${encodeURIComponent(webhookId)}`;
}
