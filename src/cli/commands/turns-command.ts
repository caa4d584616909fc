import type { TurnFilters, TurnSummary } from '../../client/turnpike-client.js';
import { jsonOption, urlOption, wholeNumber, type Cli, type CliCommand } from '../command.js';
import type { Table } from '../render/table.js';
import { listOnServer, listPages } from '../server/run-on-server.js';
import { titlesOf, type AgentTitles } from './list-command.js';
import { minute, oneLine } from '../terminal/screen.js';

/** `turnpike turns`. */
export function turnsCommand(command: CliCommand, cli: Cli): void {
  command
    .option('--all', 'of everybody; needs a key with the scope admin')
    .option('--id <ID>', 'the turn of this id')
    .option('--session <ID>', 'turns of this session')
    .option('--status <STATUS>', 'completed, limited, interrupted, failed, running, unended, …')
    .option(
      '--error <CODE>',
      'turns that failed with this error or for this reason: SDK_FAILURE, SPEND_LIMIT',
    )
    .option('--agent <NAME>', 'turns of this agent')
    .option('--model <NAME>', 'turns of this model')
    .option('--principal <NAME>', 'turns of this principal')
    .option('--wire <NAME>', 'turns of sessions that this wire made')
    .option('--tool <NAME>', 'turns that called this tool')
    .option('--min-duration-ms <MS>', 'turns that took so long, or longer', wholeNumber('ms', 0))
    .option('--min-cost-usd <USD>', 'turns that cost so much, or more')
    .option('--since <TIME>', 'accepted at this time or later, as 2026-01-31T12:00:00Z')
    .option('--until <TIME>', 'accepted before this time')
    .option('--limit <N>', 'at most N', wholeNumber('limit', 1), 20)
    .addOption(jsonOption)
    .addOption(urlOption)
    .action(({ limit, all = false, json, url, ...filters }) => {
      let titles: AgentTitles = new Map();
      return listOnServer(
        cli,
        { json, url },
        {
          ask: async (client) => {
            titles = await titlesOf(client, { json });
            return listPages(limit, 'turns', (page) => {
              const query: TurnFilters = { ...filters, ...page };
              return all ? client.turns.listAll(query) : client.turns.list(query);
            });
          },
          show: (found) => tableOfTurns(found, { withPrincipals: all, titles }),
          tell: (found) => (filters.id === undefined ? [] : found.flatMap(whyFailed)),
          none: 'There are no such turns.',
        },
      );
    });
}

/** Why a turn failed and what to do, as the console says it; no line for one that did not. */
function whyFailed({ error, turnId }: TurnSummary): string[] {
  if (error === null) return [];
  const { type, reason, message, action, retryable } = error;
  const name = reason === null ? type : `${type} (${reason})`;
  const words = message === null ? '' : `: ${oneLine(message, 500)}`;
  const again = retryable ? ' The same message, sent again, may succeed.' : '';
  return [`${turnId} failed with ${name}${words}`, `${action}${again}`];
}

/** `turnpike turns`. Times are UTC. @param withPrincipals whether the turns are of several people. */
function tableOfTurns(
  turns: readonly TurnSummary[],
  { withPrincipals, titles }: { withPrincipals: boolean; titles: AgentTitles },
): Table {
  return {
    columns: ['TURN', 'SENT (UTC)', 'STATUS', 'TOOK', 'COST', 'AGENT', 'MODEL', 'BY', 'WHAT'],
    rows: turns.map((turn) => [
      turn.turnId,
      minute(turn.createdAt),
      turn.error === null ? turn.status : `${turn.status} ${turn.error.reason ?? turn.error.type}`,
      turn.durationMs === null ? '' : `${(turn.durationMs / 1_000).toFixed(1)} s`,
      turn.usage?.costUsd === undefined ? '' : `$${turn.usage.costUsd.toFixed(4)}`,
      oneLine(titles.get(turn.agent) ?? turn.agent, 64),
      turn.model,
      withPrincipals ? turn.principal : '',
      oneLine(turn.title ?? '', 60),
    ]),
  };
}
