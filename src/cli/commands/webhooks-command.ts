import type {
  DeliveryView,
  TurnpikeClient,
  DeliveryStatus,
  WantedWebhook,
  WebhookView,
} from '../../client/turnpike-client.js';
import { assertNever } from '../../platform/assert-never.js';
import { compact } from '../../platform/compact.js';
import { askServer, listPages } from '../server/run-on-server.js';
import { parseCall, serverOptions, UsageError } from '../arguments.js';
import { minute, oneLine } from '../terminal/screen.js';

/** `turnpike webhooks`: makes, lists and removes webhooks, and shows what was sent to them. @returns the exit code. */
export function webhooksCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  return askServer(environment, () => parseWebhooksArguments(args), act);
}

async function act(
  { webhooks }: TurnpikeClient,
  wanted: WebhooksArguments,
): Promise<readonly string[]> {
  const print = <T>(given: T, words: (given: T) => string): string =>
    wanted.json ? JSON.stringify(given) : words(given);
  switch (wanted.action) {
    case 'list':
      return (await webhooks.list()).map((one) => print(one, describeWebhook));
    case 'add':
      return [print(await webhooks.create(wanted.wanted), describeSecret)];
    case 'rotate': {
      const { id, keepOldHours } = wanted;
      return [print(await webhooks.rotate(id, compact({ keepOldHours })), describeSecret)];
    }
    case 'remove':
      return [print(await webhooks.delete(wanted.id), ({ id }) => `${id} is removed.`)];
    case 'enable':
      return [print(await webhooks.change(wanted.id, { enabled: true }), describeWebhook)];
    case 'test':
      return [print(await webhooks.test(wanted.id), describeDelivery)];
    case 'deliveries': {
      const { id, status, limit } = wanted;
      const sent = await listPages(limit, async (page) => {
        const query = compact({ ...page, status });
        const { deliveries: listed, ...more } = await webhooks.deliveries(id, query);
        return { listed, ...more };
      });
      return sent.map((one) => print(one, describeDelivery));
    }
    case 'redeliver':
      return [print(await webhooks.redeliver(wanted.id, wanted.deliveryId), describeDelivery)];
    default:
      return assertNever(wanted);
  }
}

function describeSecret({ webhook, secret }: { webhook: { id: string }; secret: string }): string {
  return `${webhook.id} signs with this secret, which is shown this once:\n${secret}`;
}

export type WebhooksArguments = { json: boolean; url: string | undefined } & (
  | { action: 'list' }
  | { action: 'add'; wanted: WantedWebhook }
  | { action: 'remove' | 'enable' | 'test'; id: string }
  | { action: 'rotate'; id: string; keepOldHours: number | undefined }
  | { action: 'deliveries'; id: string; status: DeliveryStatus | undefined; limit: number }
  | { action: 'redeliver'; id: string; deliveryId: string }
);

const options = {
  events: { type: 'string' },
  description: { type: 'string' },
  'keep-old': { type: 'string' },
  status: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean', default: false },
  ...serverOptions,
} as const;

/** The options that an action takes beside those of all. */
const ownOptions: Readonly<Record<string, readonly string[]>> = {
  add: ['events', 'description'],
  rotate: ['keep-old'],
  deliveries: ['status', 'limit'],
};

const calls =
  'turnpike webhooks list, add URL, remove ID, enable ID, rotate ID, test ID, deliveries ID, or redeliver ID DELIVERY';

/** Parses the arguments after `turnpike webhooks`. The route validates the values. @throws UsageError. */
export function parseWebhooksArguments(args: readonly string[]): WebhooksArguments {
  const { values, positionals } = parseCall(args, { options, allowPositionals: true });
  const { json, url, events, description, status } = values;
  const [action = '', first, second, ...more] = positionals;
  for (const name of ['events', 'description', 'keep-old', 'status', 'limit'] as const) {
    if (values[name] !== undefined && ownOptions[action]?.includes(name) !== true) {
      throw new UsageError(`--${name} does not go with turnpike webhooks ${action}`);
    }
  }
  const common = { json, url };
  if (action === 'list' && first === undefined) return { ...common, action };
  if (first === undefined || more.length > 0) throw new UsageError(calls);
  if (action === 'redeliver' && second !== undefined) {
    return { ...common, action, id: first, deliveryId: second };
  }
  if (second !== undefined) throw new UsageError(calls);
  switch (action) {
    case 'add': {
      const asked = events?.split(',').map((event) => event.trim());
      // The route says which events there are.
      const wanted = compact({ url: first, description, events: asked }) as WantedWebhook;
      return { ...common, action, wanted };
    }
    case 'remove':
    case 'enable':
    case 'test':
      return { ...common, action, id: first };
    case 'rotate':
      return {
        ...common,
        action,
        id: first,
        keepOldHours: toNumber('keep-old', values['keep-old']),
      };
    case 'deliveries':
      return {
        ...common,
        action,
        id: first,
        status: status as DeliveryStatus | undefined,
        limit: toNumber('limit', values.limit) ?? 20,
      };
    default:
      throw new UsageError(calls);
  }
}

function toNumber(option: string, value: string | undefined): number | undefined {
  if (value === undefined || /^\d{1,6}$/.test(value))
    return value === undefined ? value : Number(value);
  throw new UsageError(`--${option} takes a whole number, not ${value}`);
}

/** A line of `turnpike webhooks list`. Times are UTC. */
export function describeWebhook(webhook: WebhookView): string {
  const { id, url, events, enabled, disabledReason, failingSince, description } = webhook;
  const asked = events === null ? 'all events' : events.join(',');
  const failing = failingSince === null ? 'enabled' : `fails since ${minute(failingSince)}`;
  const disabled = disabledReason === null ? 'disabled' : `disabled: ${disabledReason}`;
  const about = description === '' ? '' : `  ${JSON.stringify(oneLine(description, 80))}`;
  return `${id}  ${oneLine(url, 200)}  ${asked}  ${enabled ? failing : disabled}${about}`;
}

/** A line of `turnpike webhooks deliveries`. Times are UTC. */
export function describeDelivery(delivery: DeliveryView): string {
  const { id, type, status, turnId, createdAt, nextTryAt, failures, error } = delivery;
  const next = nextTryAt === null || failures === 0 ? '' : `, again ${minute(nextTryAt)}`;
  const why = error === null ? '' : `  ${failures} failed: ${oneLine(error, 200)}${next}`;
  const of = turnId === null ? '' : `  ${turnId}`;
  return `${id}  ${minute(createdAt)}  ${type}  ${status}${of}${why}`;
}
