import type {
  ScheduleRunView,
  TurnpikeClient,
  WantedSchedule,
  ScheduleView,
  UpcomingSlot,
} from '../../client/turnpike-client.js';
import { assertNever } from '../../platform/assert-never.js';
import { compact } from '../../platform/compact.js';
import { askServer, listPages } from '../server/run-on-server.js';
import { isPlainObject } from '../../platform/json.js';
import { parseCall, serverOptions, UsageError } from '../arguments.js';
import { minute, oneLine } from '../terminal/screen.js';

/** `turnpike schedules`: makes, lists, pauses and removes schedules, and shows what came of them. @returns the exit code. */
export function schedulesCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  return askServer(environment, () => parseSchedulesArguments(args), act);
}

async function act(
  { schedules }: TurnpikeClient,
  wanted: SchedulesArguments,
): Promise<readonly string[]> {
  const print = <T>(given: T, words: (given: T) => string): string =>
    wanted.json ? JSON.stringify(given) : words(given);
  switch (wanted.action) {
    case 'list':
      return (await schedules.list()).map((one) => print(one, describeSchedule));
    case 'create':
    case 'put':
      return [print(await schedules[wanted.action](wanted.key, wanted.wanted), describeSchedule)];
    case 'show':
      return [print(await schedules.get(wanted.key), describeSchedule)];
    case 'pause':
      return [print(await schedules.pause(wanted.key), describeSchedule)];
    case 'resume':
      return [print(await schedules.resume(wanted.key), describeSchedule)];
    case 'remove':
      return [print(await schedules.delete(wanted.key), ({ key }) => `${key} is removed.`)];
    case 'trigger':
      return [print(await schedules.trigger(wanted.key), describeRun)];
    case 'runs': {
      const runs = await listPages(wanted.limit, async (page) => {
        const { runs: listed, ...more } = await schedules.runs(wanted.key, page);
        return { listed, ...more };
      });
      return runs.map((one) => print(one, describeRun));
    }
    case 'upcoming': {
      const { tz } = await schedules.get(wanted.key);
      const upcoming = await schedules.upcoming(wanted.key, wanted.limit);
      return upcoming.map((one) => print(one, (slot) => describeUpcoming(slot, tz)));
    }
    default:
      return assertNever(wanted);
  }
}

export type SchedulesArguments = { json: boolean; url: string | undefined } & (
  | { action: 'list' }
  | { action: 'create' | 'put'; key: string; wanted: WantedSchedule }
  | { action: 'show' | 'remove' | 'pause' | 'resume' | 'trigger'; key: string }
  | { action: 'runs' | 'upcoming'; key: string; limit: number }
);

const definition = {
  cron: { type: 'string' },
  tz: { type: 'string' },
  session: { type: 'string' },
  agent: { type: 'string' },
  project: { type: 'string' },
  message: { type: 'string' },
  opts: { type: 'string' },
  overlap: { type: 'string' },
  'catch-up': { type: 'string' },
} as const;

const config = {
  allowPositionals: true,
  options: {
    ...definition,
    limit: { type: 'string' },
    json: { type: 'boolean', default: false },
    ...serverOptions,
  },
} as const;

const calls =
  'turnpike schedules list, create KEY --cron C --tz ZONE --message M, put KEY --cron C --tz ZONE --message M, show KEY, remove KEY, pause KEY, resume KEY, trigger KEY, runs KEY, or upcoming KEY';

type Values = ReturnType<typeof parseCall<typeof config>>['values'];

/** Parses the arguments after `turnpike schedules`. The route validates the values. @throws UsageError. */
export function parseSchedulesArguments(args: readonly string[]): SchedulesArguments {
  const { values, positionals } = parseCall(args, config);
  const { json, url, limit } = values;
  const [action = '', key, ...more] = positionals;
  for (const name of Object.keys(definition) as (keyof typeof definition)[]) {
    if (values[name] !== undefined && action !== 'put' && action !== 'create') {
      throw new UsageError(`--${name} does not go with turnpike schedules ${action}`);
    }
  }
  if (limit !== undefined && action !== 'runs' && action !== 'upcoming') {
    throw new UsageError(`--limit does not go with turnpike schedules ${action}`);
  }
  const common = { json, url };
  if (action === 'list' && key === undefined) return { ...common, action };
  if (key === undefined || more.length > 0) throw new UsageError(calls);
  switch (action) {
    case 'create':
    case 'put':
      return { ...common, action, key, wanted: toWanted(action, values) };
    case 'show':
    case 'remove':
    case 'pause':
    case 'resume':
    case 'trigger':
      return { ...common, action, key };
    case 'runs':
      return { ...common, action, key, limit: toNumber('limit', limit) ?? 20 };
    case 'upcoming':
      return { ...common, action, key, limit: toNumber('limit', limit) ?? 10 };
    default:
      throw new UsageError(calls);
  }
}

function toWanted(action: string, values: Values): WantedSchedule {
  const { cron, tz, message, session = 'new', agent, project: projectRoot, overlap } = values;
  if (cron === undefined || tz === undefined || message === undefined) {
    throw new UsageError(`turnpike schedules ${action} needs --cron, --tz and --message`);
  }
  const catchUpMs = toNumber('catch-up', values['catch-up']);
  const opts = values.opts === undefined ? undefined : toOptions(values.opts);
  const optional = compact({ agent, projectRoot, opts, overlap, catchUpMs });
  // The route says which overlaps there are.
  return { cron, tz, message, session, ...optional } as WantedSchedule;
}

function toOptions(text: string): Record<string, unknown> {
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

function toNumber(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new UsageError(`--${option} takes a whole number, not ${value}`);
}

/** A line of `turnpike schedules list`. Times are UTC. */
export function describeSchedule(schedule: ScheduleView): string {
  const { key, cron, tz, session, agent, message, nextAt, pauseReason } = schedule;
  const next = nextAt === null ? `paused: ${pauseReason ?? 'requested'}` : `next ${minute(nextAt)}`;
  const where = session === 'new' ? `new session${agent === null ? '' : ` of ${agent}`}` : session;
  return `${key}  ${cron}  ${tz}  ${next}  ${where}  ${JSON.stringify(oneLine(message, 80))}`;
}

/** A line of `turnpike schedules runs`. Times are UTC. */
export function describeRun(run: ScheduleRunView): string {
  const { slot, cause, outcome, turnId, turnStatus, error, missed } = run;
  const of = turnId === null ? '' : `  ${turnId}  ${turnStatus ?? 'deleted'}`;
  const why = error === null ? '' : `  ${error.type}: ${oneLine(error.message, 200)}`;
  const count = missed === null ? '' : `  ${missed.count} until ${minute(missed.until)}`;
  return `${minute(slot)}  ${cause === 'trigger' ? 'triggered' : outcome}${of}${why}${count}`;
}

/** A line of `turnpike schedules upcoming`: by the clock of the zone, and UTC. */
export function describeUpcoming({ at, local }: UpcomingSlot, tz: string): string {
  return `${local.replace('T', ' ')} ${tz}  ${minute(at)} UTC`;
}
