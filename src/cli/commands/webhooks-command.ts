import type { DeliveryView, TurnpikeClient } from '../../client/turnpike-client.js';
import { assertNever } from '../../platform/assert-never.js';
import { compact } from '../../platform/compact.js';
import { describeDelivery, describeWebhook } from '../render/describe-webhook.js';
import { askServer } from '../server/ask-server.js';
import {
  parseWebhooksArguments,
  type WebhooksArguments,
} from '../arguments/parse-webhooks-arguments.js';

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
    case 'deliveries':
      return (await listDeliveries(webhooks, wanted)).map((one) => print(one, describeDelivery));
    case 'redeliver':
      return [print(await webhooks.redeliver(wanted.id, wanted.deliveryId), describeDelivery)];
    default:
      return assertNever(wanted);
  }
}

function describeSecret({ webhook, secret }: { webhook: { id: string }; secret: string }): string {
  return `${webhook.id} signs with this secret, which is shown this once:\n${secret}`;
}

async function listDeliveries(
  webhooks: TurnpikeClient['webhooks'],
  { id, status, limit }: Extract<WebhooksArguments, { action: 'deliveries' }>,
): Promise<DeliveryView[]> {
  const found: DeliveryView[] = [];
  let cursor: string | undefined;
  do {
    const page = { cursor, status, limit: Math.min(200, limit - found.length) };
    const { deliveries, nextCursor } = await webhooks.deliveries(id, compact(page));
    found.push(...deliveries);
    cursor = nextCursor;
  } while (cursor !== undefined && found.length < limit);
  return found;
}
