import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import { newId } from '../../platform/ids.js';
import { nothingToChange, webhookUrlRefused } from '../webhook-errors.js';
import { EndpointStore } from './endpoint-store.js';
import { judgeUrl, webhookHosts } from '../judge-url.js';
import { viewWebhook, type WebhookView } from './view-webhook.js';
import { newWebhookSecret } from './webhook-secret.js';
import type { NewWebhookDto, WebhookChangesDto } from './webhook.dto.js';

/** A webhook with a secret that is shown this once. */
export interface WebhookWithSecret {
  webhook: WebhookView;
  secret: string;
}

const HOUR_MS = 3_600_000;

/** Manages the webhooks of principals. */
@Injectable()
export class WebhookService {
  constructor(
    private readonly store: EndpointStore,
    @Inject(CONFIG) private readonly config: Pick<Config, 'webhookPrivateHosts'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws TypedError WEBHOOK_URL_REFUSED 400, WEBHOOK_LIMIT 429. */
  async create(wanted: NewWebhookDto, principalId: string): Promise<WebhookWithSecret> {
    const { description = '', events = null, enabled = true } = wanted;
    const secret = newWebhookSecret();
    const created = await this.store.create({
      id: newId('hook'),
      principalId,
      url: this.#judged(wanted.url),
      description,
      events,
      enabled,
      secret,
      createdAt: new Date(this.clock.now()),
    });
    return { webhook: viewWebhook(created), secret };
  }

  async list(principalId: string): Promise<WebhookView[]> {
    return (await this.store.list(principalId)).map(viewWebhook);
  }

  /** @throws TypedError WEBHOOK_NOT_FOUND 404. */
  async get(id: string): Promise<WebhookView> {
    return viewWebhook(await this.store.get(id));
  }

  /** @throws TypedError INVALID_REQUEST 400, WEBHOOK_URL_REFUSED 400, WEBHOOK_NOT_FOUND 404. */
  async change(id: string, wanted: WebhookChangesDto, by: string): Promise<WebhookView> {
    const { url, description, events, enabled } = wanted;
    const judged = url === undefined ? undefined : this.#judged(url);
    // What was known of the endpoint is not true of another one, nor of one that was mended.
    const isAnother = judged !== undefined || enabled === true;
    const forgotten = isAnother
      ? { failingSince: null, pausedUntil: null, disabledReason: null }
      : {};
    const changes = compact({ url: judged, description, events, enabled });
    if (Object.keys(changes).length === 0) throw nothingToChange();
    return viewWebhook(await this.store.change(id, { ...forgotten, ...changes }, by));
  }

  /**
   * Gives a webhook a new secret. The one before it signs as well for a while, so that receivers change over
   * without a gap.
   *
   * @throws TypedError WEBHOOK_NOT_FOUND 404.
   */
  async rotate(id: string, keepOldHours: number, by: string): Promise<WebhookWithSecret> {
    const secret = newWebhookSecret();
    const until = new Date(this.clock.now() + keepOldHours * HOUR_MS);
    return { webhook: viewWebhook(await this.store.rotate(id, secret, until, by)), secret };
  }

  /** @returns the webhook that is gone. @throws TypedError WEBHOOK_NOT_FOUND 404. */
  async delete(id: string, by: string): Promise<WebhookView> {
    return viewWebhook(await this.store.delete(id, by));
  }

  #judged(url: string): string {
    const verdict = judgeUrl(url, webhookHosts(this.config));
    if (!verdict.ok) throw webhookUrlRefused(verdict.problem);
    return verdict.url.href;
  }
}
