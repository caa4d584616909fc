import { missCauses } from '../../client/miss-causes.js';
import type { StepView } from '../../client/turnpike-client.js';
import { jsonOption, urlOption, type Cli, type CliCommand } from '../command.js';
import type { Table } from '../render/table.js';
import { listOnServer, listPages } from '../server/run-on-server.js';

/** Most steps that are shown: a turn has fewer. */
const MOST_STEPS = 10_000;

/** `turnpike cost`. */
export function costCommand(command: CliCommand, cli: Cli): void {
  command
    .argument('<TURN>', 'the id of the turn')
    .addOption(jsonOption)
    .addOption(urlOption)
    .action((turnId, options) =>
      listOnServer(cli, options, {
        ask: ({ turns }) => listPages(MOST_STEPS, 'steps', (page) => turns.steps(turnId, page)),
        show: tableOfCosts,
        tell: tellMisses,
        none: 'The turn has called no model so far.',
      }),
    );
}

/** What each model call read, wrote and cost. */
export function tableOfCosts(steps: readonly StepView[]): Table {
  return {
    columns: ['STEP', 'MODEL', 'NEW', 'FROM CACHE', 'INTO CACHE', 'MISSED', 'REPLY', 'COST'],
    rows: steps.map(({ step, model = '', usage, cacheMiss }) => [
      String(step),
      model,
      count(usage.inputTokens),
      count(usage.cacheReadTokens),
      count(usage.cacheWriteTokens),
      cacheMiss === undefined ? '' : count(cacheMiss.tokens),
      count(usage.outputTokens),
      usage.costUsd === undefined ? 'not known' : dollars(usage.costUsd),
    ]),
  };
}

/** The sum in words, and each miss with its cause. */
export function tellMisses(steps: readonly StepView[]): string[] {
  const costs = steps.flatMap(({ usage }) => usage.costUsd ?? []);
  const sum = costs.reduce((all, usd) => all + usd, 0);
  const misses = steps.flatMap(({ step, cacheMiss }) =>
    cacheMiss === undefined ? [] : [{ step, ...cacheMiss }],
  );
  const lost = misses.reduce((all, { usd = 0 }) => all + usd, 0);
  const isWhole = costs.length === steps.length;
  const whole = isWhole
    ? `${dollars(sum)} for ${steps.length} model call${steps.length === 1 ? '' : 's'}`
    : 'The price of a model is not known: TURNPIKE_MODELS can say it';
  const missed =
    misses.length === 0
      ? 'Nothing that the cache had was paid for again.'
      : `What the cache had was paid for again${lost > 0 ? `, for ${dollars(lost)} more` : ''}.`;
  return [
    `${whole}. ${missed}`,
    ...misses.map(
      ({ step, tokens, cause }) =>
        `Step ${step} missed ${count(tokens)} tokens: ${missCauses[cause]}.`,
    ),
  ];
}

function count(tokens: number): string {
  return tokens.toLocaleString('en');
}

function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 0.01 ? 5 : 4)}`;
}
