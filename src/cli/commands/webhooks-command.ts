import { Option } from '@commander-js/extra-typings';
import type { DeliveryView, WantedWebhook, WebhookView } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { listOnServer, listPages, subcommandOnOne } from '../server/run-on-server.js';
import { splitList, subcommand, type Cli, type CliCommand, wholeNumber } from '../command.js';
import type { Table } from '../render/table.js';
import { minute, oneLine } from '../terminal/screen.js';

/** `turnpike webhooks`: makes, lists and removes webhooks, and shows what was sent to them. The route checks the values. */
export function webhooksCommand(command: CliCommand, cli: Cli): void {
  subcommand(command, 'list', 'list your webhooks').action((options) =>
    listOnServer(cli, options, { ask: ({ webhooks }) => webhooks.list(), show: tableOfWebhooks }),
  );
  subcommand(command, 'add <URL>', 'send events to a URL; the secret is printed once')
    .option(
      '--events <A,B>',
      'out of turn.started, turn.waiting, turn.ended, approval.requested, schedule.missed, schedule.paused, feedback.changed; default: all',
      splitList,
    )
    .option('--description <TEXT>', 'what it is for')
    .action((url, { events, description, ...options }) => {
      // The route says which events there are.
      const wanted = compact({ url, description, events }) as WantedWebhook;
      return listOnServer(cli, options, {
        ask: async ({ webhooks }) => [await webhooks.create(wanted)],
        ...secretAlone,
      });
    });
  subcommandOnOne(command, cli, {
    usage: 'remove <ID>',
    about: 'delete a webhook and the record of what was sent',
    ask: ({ webhooks }, id) => webhooks.delete(id),
    show: ([removed]) => [`${removed?.id} is removed.`],
  });
  subcommandOnOne(command, cli, {
    usage: 'enable <ID>',
    about: 'enable a disabled webhook',
    ask: ({ webhooks }, id) => webhooks.change(id, { enabled: true }),
    show: tableOfWebhooks,
  });
  subcommandOnOne(command, cli, {
    usage: 'test <ID>',
    about: 'send a test event (webhook.test)',
    ask: ({ webhooks }, id) => webhooks.test(id),
    show: tableOfDeliveries,
  });
  subcommand(command, 'rotate <ID>', 'make a new secret and print it; it is not shown again')
    .option(
      '--keep-old <HOURS>',
      'how long the secret before signs as well; default: 24',
      wholeNumber('keep-old'),
    )
    .action((id, { keepOld: keepOldHours, ...options }) =>
      listOnServer(cli, options, {
        ask: async ({ webhooks }) => [await webhooks.rotate(id, compact({ keepOldHours }))],
        ...secretAlone,
      }),
    );
  declareDeliveries(command, cli);
}

/** Declares the list of deliveries, and the command that sends one again. */
function declareDeliveries(command: CliCommand, cli: Cli): void {
  subcommand(command, 'deliveries <ID>', 'list what was sent, the latest first')
    .addOption(new Option('--status <STATUS>').choices(['pending', 'delivered', 'dead']))
    .option('--limit <N>', 'at most N', wholeNumber('limit', 1), 20)
    .action((id, { status, limit, ...options }) =>
      listOnServer(cli, options, {
        ask: ({ webhooks }) =>
          listPages(limit, 'deliveries', (page) =>
            webhooks.deliveries(id, compact({ ...page, status })),
          ),
        show: tableOfDeliveries,
      }),
    );
  subcommand(command, 'redeliver <ID> <DELIVERY>', 'send a delivery again').action(
    (id, delivery, options) =>
      listOnServer(cli, options, {
        ask: async ({ webhooks }) => [await webhooks.redeliver(id, delivery)],
        show: tableOfDeliveries,
      }),
  );
}

type WithSecret = { webhook: { id: string }; secret: string };

/** The secret alone on standard output, for `SECRET=$(turnpike webhooks rotate …)`. */
const secretAlone = {
  show: (made: readonly WithSecret[]) => made.map(({ secret }) => secret),
  tell: (made: readonly WithSecret[]) =>
    made.map(({ webhook }) => `${webhook.id} signs with this secret. It is not shown again.`),
};

function tableOfWebhooks(all: readonly WebhookView[]): Table {
  return {
    columns: ['WEBHOOK', 'URL', 'EVENTS', 'STATE', 'DESCRIPTION'],
    rows: all.map(({ id, url, events, description, ...state }) => [
      id,
      oneLine(url, 200),
      events === null ? 'all events' : events.join(','),
      describeState(state),
      description === '' ? '' : JSON.stringify(oneLine(description, 80)),
    ]),
  };
}

function describeState({
  enabled,
  disabledReason,
  failingSince,
}: Pick<WebhookView, 'enabled' | 'disabledReason' | 'failingSince'>): string {
  if (!enabled) return disabledReason === null ? 'disabled' : `disabled: ${disabledReason}`;
  return failingSince === null ? 'enabled' : `fails since ${minute(failingSince)}`;
}

function tableOfDeliveries(all: readonly DeliveryView[]): Table {
  return {
    columns: ['DELIVERY', 'CREATED (UTC)', 'EVENT', 'STATUS', 'TURN', 'FAILURES'],
    rows: all.map(({ id, type, status, turnId, createdAt, nextTryAt, failures, error }) => {
      const next = nextTryAt === null || failures === 0 ? '' : `, again ${minute(nextTryAt)}`;
      const why = error === null ? '' : `${failures} failed: ${oneLine(error, 200)}${next}`;
      return [id, minute(createdAt), type, status, turnId ?? '', why];
    }),
  };
}
