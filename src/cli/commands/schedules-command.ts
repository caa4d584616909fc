import { Option } from '@commander-js/extra-typings';
import type { ScheduleRunView, ScheduleView } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';
import { listOnServer, listPages, subcommandOnOne } from '../server/run-on-server.js';
import { UsageError, subcommand, type Cli, type CliCommand, wholeNumber } from '../command.js';
import type { Table } from '../render/table.js';
import { minute, oneLine } from '../terminal/screen.js';

/** `turnpike schedules`: makes, lists, pauses and removes schedules, and shows what came of them. */
export function schedulesCommand(command: CliCommand, cli: Cli): void {
  subcommand(command, 'list', 'list your schedules').action((options) =>
    listOnServer(cli, options, {
      ask: ({ schedules }) => schedules.list(),
      show: tableOfSchedules,
    }),
  );
  declareWrite(command, cli, 'create', 'make a schedule; refused if KEY is in use');
  declareWrite(command, cli, 'put', 'make a schedule, or replace the one of this KEY');
  declareActions(command, cli);
  declareLists(command, cli);
}

/** Declares the commands for one schedule. */
function declareActions(command: CliCommand, cli: Cli): void {
  subcommandOnOne(command, cli, {
    usage: 'show <KEY>',
    about: 'show a schedule',
    ask: ({ schedules }, key) => schedules.get(key),
    show: tableOfSchedules,
  });
  subcommandOnOne(command, cli, {
    usage: 'remove <KEY>',
    about: 'delete a schedule',
    ask: ({ schedules }, key) => schedules.delete(key),
    show: ([removed]) => [`${removed?.key} is removed.`],
  });
  subcommandOnOne(command, cli, {
    usage: 'pause <KEY>',
    about: 'pause a schedule until it is resumed',
    ask: ({ schedules }, key) => schedules.pause(key),
    show: tableOfSchedules,
  });
  subcommandOnOne(command, cli, {
    usage: 'resume <KEY>',
    about: 'resume a paused schedule',
    ask: ({ schedules }, key) => schedules.resume(key),
    show: tableOfSchedules,
  });
  subcommandOnOne(command, cli, {
    usage: 'trigger <KEY>',
    about: 'start a turn now',
    ask: ({ schedules }, key) => schedules.trigger(key),
    show: tableOfRuns,
  });
}

/** Declares the lists of a schedule's runs and of its next fire times. */
function declareLists(command: CliCommand, cli: Cli): void {
  subcommand(command, 'runs <KEY>', 'list the runs of a schedule, the latest first')
    .option('--limit <N>', 'at most N', wholeNumber('limit', 1), 20)
    .action((key, { limit, ...options }) =>
      listOnServer(cli, options, {
        ask: ({ schedules }) => listPages(limit, 'runs', (page) => schedules.runs(key, page)),
        show: tableOfRuns,
      }),
    );
  subcommand(command, 'upcoming <KEY>', 'list the next fire times, in its zone and in UTC')
    .option('--limit <N>', 'at most N', wholeNumber('limit', 1), 10)
    .action((key, { limit, ...options }) => {
      let zone = '';
      return listOnServer(cli, options, {
        ask: async ({ schedules }) => {
          zone = (await schedules.get(key)).tz;
          return schedules.upcoming(key, limit);
        },
        show: (slots) => ({
          columns: [`TIME (${zone})`, 'TIME (UTC)'],
          rows: slots.map(({ at, local }) => [local.replace('T', ' '), minute(at)]),
        }),
      });
    });
}

/** Declares `create` or `put`: both take a whole schedule. The route checks the values. */
function declareWrite(command: CliCommand, cli: Cli, name: 'create' | 'put', about: string): void {
  subcommand(command, `${name} <KEY>`, about)
    .requiredOption('--cron <C>', 'minute, hour, day, month, weekday')
    .requiredOption('--tz <ZONE>', 'its time zone')
    .requiredOption('--message <TEXT>', 'the message of the turns')
    .option('--session <ID>', 'run all turns in this session; default: a new one for each', 'new')
    .option('--agent <NAME>', 'the agent of new sessions')
    .option('--project <DIR>', 'the project root of new sessions')
    .addOption(
      new Option('--overlap <POLICY>', 'what to do while an earlier turn runs').choices([
        'skip',
        'queueOne',
        'allow',
      ]),
    )
    .option('--catch-up <MS>', 'how many ms late a missed run may start', wholeNumber('catch-up'))
    .option('--opts <JSON>', 'the options of the turns', parseOptions)
    .action((key, { json, url, cron, tz, message, session, ...given }) => {
      const { agent, project: projectRoot, overlap, catchUp: catchUpMs, opts } = given;
      const optional = compact({ agent, projectRoot, opts, overlap, catchUpMs });
      const wanted = { cron, tz, message, session, ...optional };
      return listOnServer(
        cli,
        { json, url },
        {
          ask: async ({ schedules }) => [await schedules[name](key, wanted)],
          show: tableOfSchedules,
        },
      );
    });
}

function parseOptions(text: string): Record<string, unknown> {
  const given = parseJson(text);
  if (!isPlainObject(given)) throw new UsageError('--opts takes an object of JSON');
  return given;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function tableOfSchedules(all: readonly ScheduleView[]): Table {
  return {
    columns: ['SCHEDULE', 'CRON', 'ZONE', 'NEXT (UTC)', 'SESSION', 'MESSAGE'],
    rows: all.map(({ key, cron, tz, session, agent, message, nextAt, pauseReason }) => [
      key,
      cron,
      tz,
      nextAt === null ? `paused: ${pauseReason ?? 'requested'}` : minute(nextAt),
      session === 'new' ? `new session${agent === null ? '' : ` of ${agent}`}` : session,
      JSON.stringify(oneLine(message, 80)),
    ]),
  };
}

function tableOfRuns(all: readonly ScheduleRunView[]): Table {
  return {
    columns: ['TIME (UTC)', 'OUTCOME', 'TURN', 'STATUS', 'ERROR', 'MISSED'],
    rows: all.map(({ slot, cause, outcome, turnId, turnStatus, error, missed }) => [
      minute(slot),
      cause === 'trigger' ? 'triggered' : outcome,
      turnId ?? '',
      turnId === null ? '' : (turnStatus ?? 'deleted'),
      error === null ? '' : `${error.type}: ${oneLine(error.message, 200)}`,
      missed === null ? '' : `${missed.count} until ${minute(missed.until)}`,
    ]),
  };
}
