import type { DeliveryStatus, WantedWebhook } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { parseCall } from './parse-call.js';
import { serverOptions } from './server-options.js';
import { UsageError } from './usage-error.js';

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
