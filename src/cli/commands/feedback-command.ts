import type { FeedbackView } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { minute, oneLine } from '../terminal/screen.js';
import { listOnServer } from '../server/run-on-server.js';
import { subcommand, type Cli, type CliCommand } from '../command.js';
import type { Table } from '../render/table.js';

/** `turnpike feedback`: sets, shows, lists and deletes the caller's judgements of turns. The route checks the values. */
export function feedbackCommand(command: CliCommand, cli: Cli): void {
  subcommand(
    command,
    'set <TURN> <KEY> <VALUE> [COMMENT]',
    'store a value for a key of a turn: true, false, a number or a text',
  ).action((turnId, key, value, comment, options) => {
    const judged = { key, value: parseValue(value), ...compact({ comment }) };
    return listOnServer(cli, options, {
      ask: async ({ feedback }) => [await feedback.set(turnId, judged)],
      show: tableOfFeedback,
    });
  });
  subcommand(command, 'show <TURN>', 'show the feedback of a turn').action((turnId, options) =>
    listOnServer(cli, options, {
      ask: ({ feedback }) => feedback.ofTurn(turnId),
      show: tableOfFeedback,
    }),
  );
  subcommand(command, 'delete <TURN> <KEY>', 'delete one value').action((turnId, key, options) =>
    listOnServer(cli, options, {
      ask: async ({ feedback }) => [await feedback.delete(turnId, key)],
      show: tableOfFeedback,
    }),
  );
  subcommand(command, 'list', 'list your feedback, the latest first')
    .option('--key <KEY>')
    .option('--min <N>', 'the least value')
    .option('--max <N>', 'the highest value')
    .option('--agent <NAME>')
    .option('--model <NAME>')
    .option('--since <TIME>')
    .option('--until <TIME>')
    .option('--limit <N>')
    .action(({ json, url, ...filters }) =>
      listOnServer(
        cli,
        { json, url },
        {
          ask: async ({ feedback }) => (await feedback.list(compact(filters))).feedback,
          show: tableOfFeedback,
        },
      ),
    );
}

/** `true` and `false`, a number, or else a text. */
function parseValue(text: string): boolean | number | string {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function tableOfFeedback(all: readonly FeedbackView[]): Table {
  return {
    columns: ['TURN', 'CHANGED (UTC)', 'VALUE', 'AGENT', 'MODEL', 'COMMENT'],
    rows: all.map(({ turnId, key, value, comment, agent, model, updatedAt }) => [
      turnId,
      minute(updatedAt),
      `${key}=${oneLine(String(value), 200)}`,
      oneLine(agent, 60),
      oneLine(model, 60),
      comment === null ? '' : JSON.stringify(oneLine(comment, 200)),
    ]),
  };
}
