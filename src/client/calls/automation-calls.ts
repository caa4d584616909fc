import type {
  BegunMcpLogin,
  EndedMcpLogin,
  FinishedMcpLogin,
  ForgottenMcpClients,
  McpLoginList,
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
import { newKey, route, type Transport } from '../transport/transport.js';
import type { Page } from './session-calls.js';

/** Turns at times of a clock: `client.schedules`. A schedule is named by the caller's own key of it. */
export class ScheduleCalls {
  constructor(private readonly transport: Transport) {}

  /** Makes a schedule, or replaces the one of that key. */
  put(key: string, wanted: WantedSchedule): Promise<ScheduleView> {
    return this.transport.field('schedule', route`/api/harness/schedules/${key}`, {
      method: 'PUT',
      body: wanted,
    });
  }

  /** Makes a schedule. @throws TurnpikeError SCHEDULE_EXISTS where there is one of that key. */
  create(key: string, wanted: WantedSchedule): Promise<ScheduleView> {
    const headers = { 'if-none-match': '*' };
    return this.transport.field('schedule', route`/api/harness/schedules/${key}`, {
      method: 'PUT',
      body: wanted,
      headers,
    });
  }

  list(): Promise<ScheduleView[]> {
    return this.transport.field('schedules', '/api/harness/schedules');
  }

  get(key: string): Promise<ScheduleView> {
    return this.transport.field('schedule', route`/api/harness/schedules/${key}`);
  }

  /** Fields that are not given stay as they are. */
  change(key: string, changes: Partial<WantedSchedule>): Promise<ScheduleView> {
    return this.transport.field('schedule', route`/api/harness/schedules/${key}`, {
      method: 'PATCH',
      body: changes,
    });
  }

  pause(key: string): Promise<ScheduleView> {
    return this.transport.field('schedule', route`/api/harness/schedules/${key}/pause`, {
      method: 'POST',
    });
  }

  /** Lets a paused schedule go on from now, with the client's API key. */
  resume(key: string): Promise<ScheduleView> {
    return this.transport.field('schedule', route`/api/harness/schedules/${key}/resume`, {
      method: 'POST',
    });
  }

  /** Deletes a schedule with the records of its runs. */
  delete(key: string): Promise<ScheduleView> {
    return this.transport.field('schedule', route`/api/harness/schedules/${key}`, {
      method: 'DELETE',
    });
  }

  /**
   * Submits a turn now, beside the schedule's times.
   *
   * @param idempotencyKey a repeat with the same gives the first run. Default: a new one.
   */
  trigger(
    key: string,
    { idempotencyKey = newKey() }: { idempotencyKey?: string } = {},
  ): Promise<ScheduleRunView> {
    const headers = { 'idempotency-key': idempotencyKey };
    return this.transport.field('run', route`/api/harness/schedules/${key}/trigger`, {
      method: 'POST',
      headers,
    });
  }

  /** The runs of a schedule, a record for each fire time, the newest first. */
  runs(key: string, page: Page = {}): Promise<{ runs: ScheduleRunView[]; nextCursor?: string }> {
    return this.transport.json({
      path: route`/api/harness/schedules/${key}/runs`,
      query: { ...page },
    });
  }

  /** The next times, also of a paused schedule. @param count at most 100. Default: 10. */
  upcoming(key: string, count?: number): Promise<UpcomingSlot[]> {
    return this.transport.field('upcoming', route`/api/harness/schedules/${key}/upcoming`, {
      query: { count },
    });
  }
}

export interface DeliveryQuery extends Page {
  /** Default: all. */
  status?: DeliveryStatus;
}

/** The caller's log-ins at MCP servers: `client.mcpLogins`. */
export class McpLoginCalls {
  constructor(private readonly transport: Transport) {}

  /** With the servers of the configuration at which people log in. */
  list(): Promise<McpLoginList> {
    return this.transport.json({ path: '/api/harness/mcp/logins' });
  }

  /**
   * Begins a log-in; the person opens its `url` in a browser.
   *
   * @param wanted `redirect`: where the answer goes, for `finish`. Absent: the server's own page takes it, from the
   *   browser that sent this.
   */
  begin(wanted: { server: string; agent?: string; redirect?: string }): Promise<BegunMcpLogin> {
    return this.transport.json({ method: 'POST', path: '/api/harness/mcp/logins', body: wanted });
  }

  /** Finishes a log-in of the caller. @param query of the URL that the browser was sent to. */
  finish(query: string): Promise<FinishedMcpLogin> {
    return this.transport.json({
      method: 'POST',
      path: '/api/harness/mcp/logins/callback',
      body: { query },
    });
  }

  /** Ends a log-in, here and at its authorization server. */
  end(loginId: string): Promise<EndedMcpLogin> {
    return this.transport.json({
      method: 'DELETE',
      path: route`/api/harness/mcp/logins/${loginId}`,
    });
  }

  /** Forgets that an authorization server registered this server; for a key with the scope `admin`. */
  forgetClients(issuer: string): Promise<ForgottenMcpClients> {
    const path = '/api/admin/mcp/clients';
    return this.transport.json({ method: 'DELETE', path, query: { issuer } });
  }
}

/** Where events of the caller's turns are sent: `client.webhooks`. */
export class WebhookCalls {
  constructor(private readonly transport: Transport) {}

  /** @returns the webhook, and the secret that signs, which is shown this once. */
  create(wanted: WantedWebhook): Promise<WebhookWithSecret> {
    return this.transport.json({ method: 'POST', path: '/api/harness/webhooks', body: wanted });
  }

  list(): Promise<WebhookView[]> {
    return this.transport.field('webhooks', '/api/harness/webhooks');
  }

  get(webhookId: string): Promise<WebhookView> {
    return this.transport.field('webhook', route`/api/harness/webhooks/${webhookId}`);
  }

  /** Fields that are not given stay as they are. */
  change(webhookId: string, changes: WebhookChanges): Promise<WebhookView> {
    return this.transport.field('webhook', route`/api/harness/webhooks/${webhookId}`, {
      method: 'PATCH',
      body: changes,
    });
  }

  /** @param keepOldHours hours for which the secret before it signs as well. Default: 24. */
  rotate(
    webhookId: string,
    { keepOldHours }: { keepOldHours?: number } = {},
  ): Promise<WebhookWithSecret> {
    const path = route`/api/harness/webhooks/${webhookId}/rotate`;
    return this.transport.json({ method: 'POST', path, body: { keepOldHours } });
  }

  /** Deletes a webhook with its deliveries. */
  delete(webhookId: string): Promise<WebhookView> {
    return this.transport.field('webhook', route`/api/harness/webhooks/${webhookId}`, {
      method: 'DELETE',
    });
  }

  /** Has a `webhook.test` sent. */
  test(webhookId: string): Promise<DeliveryView> {
    return this.#send(route`/api/harness/webhooks/${webhookId}/test`);
  }

  /** Deliveries that were sent or are to be sent, the newest first. */
  deliveries(
    webhookId: string,
    query: DeliveryQuery = {},
  ): Promise<{ deliveries: DeliveryView[]; nextCursor?: string }> {
    return this.transport.json({
      path: route`/api/harness/webhooks/${webhookId}/deliveries`,
      query: { ...query },
    });
  }

  /** Has a delivery sent again, under its id and with all its tries. */
  redeliver(webhookId: string, deliveryId: string): Promise<DeliveryView> {
    return this.#send(route`/api/harness/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`);
  }

  #send(path: string): Promise<DeliveryView> {
    return this.transport.field('delivery', path, { method: 'POST' });
  }
}
