import type { Page } from './session-calls.js';
import type {
  DeliveryStatus,
  DeliveryView,
  WantedWebhook,
  WebhookChanges,
  WebhookView,
  WebhookWithSecret,
} from '../server-types.js';
import type { Transport } from '../transport/transport.js';

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
    return this.#one({ path: pathOf(webhookId) });
  }

  /** Fields that are not given stay as they are. */
  change(webhookId: string, changes: WebhookChanges): Promise<WebhookView> {
    return this.#one({ method: 'PATCH', path: pathOf(webhookId), body: changes });
  }

  /** @param keepOldHours hours for which the secret before it signs as well. Default: 24. */
  rotate(
    webhookId: string,
    { keepOldHours }: { keepOldHours?: number } = {},
  ): Promise<WebhookWithSecret> {
    const path = `${pathOf(webhookId)}/rotate`;
    return this.transport.json({ method: 'POST', path, body: { keepOldHours } });
  }

  /** Deletes a webhook with its deliveries. */
  delete(webhookId: string): Promise<WebhookView> {
    return this.#one({ method: 'DELETE', path: pathOf(webhookId) });
  }

  /** Has a `webhook.test` sent. */
  test(webhookId: string): Promise<DeliveryView> {
    return this.#send(`${pathOf(webhookId)}/test`);
  }

  /** Deliveries that were sent or are to be sent, the newest first. */
  deliveries(
    webhookId: string,
    query: DeliveryQuery = {},
  ): Promise<{ deliveries: DeliveryView[]; nextCursor?: string }> {
    return this.transport.json({ path: `${pathOf(webhookId)}/deliveries`, query: { ...query } });
  }

  /** Has a delivery sent again, under its id and with all its tries. */
  redeliver(webhookId: string, deliveryId: string): Promise<DeliveryView> {
    const delivery = encodeURIComponent(deliveryId);
    return this.#send(`${pathOf(webhookId)}/deliveries/${delivery}/redeliver`);
  }

  async #one(call: Parameters<Transport['json']>[0]): Promise<WebhookView> {
    return (await this.transport.json<{ webhook: WebhookView }>(call)).webhook;
  }

  async #send(path: string): Promise<DeliveryView> {
    const call = { method: 'POST' as const, path };
    return (await this.transport.json<{ delivery: DeliveryView }>(call)).delivery;
  }
}

function pathOf(webhookId: string): string {
  return `${webhooks}/${encodeURIComponent(webhookId)}`;
}
