import { parseConfig } from '../../config/config.js';
import { systemClock } from '../../platform/clock.js';
import { commandName } from '../../platform/process/command-name.js';
import { redactOf } from '../../app/process-log.js';
import { createLogger } from '../../platform/logger.js';
import { checkPlace, type PlaceCheck } from '../../provider/check-place.js';
import {
  addressOf,
  openCatalogue,
  openMessages,
  openProvider,
} from '../../provider/open-provider.js';
import { Tracing } from '../../telemetry/tracing.js';
import type { ListedModel } from '../../client/turnpike-client.js';
import { jsonOption, urlOption, UsageError, type Cli, type CliCommand } from '../command.js';
import type { Table } from '../render/table.js';
import { listOnServer } from '../server/run-on-server.js';
import { oneLine } from '../terminal/screen.js';

/** `turnpike models`. */
export function modelsCommand(command: CliCommand, cli: Cli): void {
  command
    .addOption(jsonOption)
    .addOption(urlOption)
    .action((options) => {
      let byDefault = '';
      return listOnServer(cli, options, {
        ask: async (client) => {
          const { models, defaultModel } = await client.models();
          byDefault = defaultModel;
          return models;
        },
        show: (models) => tableOfModels(models, byDefault),
        none: 'There are no models.',
      });
    });
  command
    .command('check [MODEL]')
    .description(
      'try the configured model once, without a server: text, stream, tool, picture; it may cost some cents',
    )
    .addOption(jsonOption)
    .action((named, { json = false }) => check(cli, named, json));
}

/** Exit code 1 where turns would fail. */
async function check(cli: Cli, named: string | undefined, json: boolean): Promise<void> {
  const given = named === undefined ? {} : { TURNPIKE_MODEL: named };
  const config = parseConfig({ ...cli.environment, ...given }, { needsRedis: false });
  const { model: name, provider: mode, providerProfile } = config;
  if (mode === 'rehearsal') {
    throw new UsageError('TURNPIKE_PROVIDER is "rehearsal", which is no model to try.');
  }
  if (name === undefined) {
    throw new UsageError(
      `Name the model to try: ${commandName()} models check MODEL, or TURNPIKE_MODEL.`,
    );
  }
  const baseUrl = addressOf(config);
  const redact = redactOf(config);
  const tracing = new Tracing({ traceContent: false }, redact);
  const logger = createLogger({ level: 'warn', readable: true, redact });
  const place = { mode: 'anthropic', baseUrl } as const;
  const messages = await openMessages(config, place, { clock: systemClock, tracing });
  const provider = await openProvider(
    config,
    { messages, baseUrl },
    { clock: systemClock, tracing, logger },
  );
  provider.assertReady();
  const model = (await openCatalogue(config, messages)).describe(name);
  const maker = config.makers.find((one) => name.startsWith(`${one.name}/`));
  const where = maker === undefined ? `at ${baseUrl} (${providerProfile})` : `of ${maker.name}`;
  cli.err(`${oneLine(name, 200)} ${where}\n`);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new Error('Stopped.')));
  const { signal } = stop;
  for await (const one of checkPlace({ provider, model, clock: systemClock, signal })) {
    if (one.outcome === 'failed') cli.exitCode = 1;
    cli.out(`${json ? JSON.stringify(one) : lineOf(one)}\n`);
  }
}

/** A line a finding, as it comes: a model may take a minute for each. */
function lineOf({ name, outcome, found }: PlaceCheck): string {
  return `${name.padEnd(8)} ${outcome.padEnd(7)} ${oneLine(found, 300)}`;
}

/** `turnpike models`. */
export function tableOfModels(models: readonly ListedModel[], defaultModel: string): Table {
  return {
    columns: ['MODEL', 'WINDOW', 'REPLY', 'US$ A MILLION TOKENS, IN / OUT', 'STATE'],
    rows: models.map(({ id, contextWindow, maxOutput, price, lifecycle, retiresAt }) => [
      oneLine(id, 200),
      inThousands(contextWindow),
      inThousands(maxOutput),
      price === undefined ? 'not known' : `${price.input} / ${price.output}`,
      [
        ...(id === defaultModel ? ['default'] : []),
        ...(lifecycle === 'active' ? [] : [lifecycle]),
        ...(retiresAt === undefined ? [] : [`retirement ${retiresAt}`]),
      ].join(', '),
    ]),
  };
}

function inThousands(tokens: number): string {
  return tokens >= 1_000_000 ? `${tokens / 1_000_000}M` : `${Math.round(tokens / 1_000)}K`;
}
