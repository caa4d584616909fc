import type { WantedSchedule } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';
import { parseCall } from './parse-call.js';
import { serverOptions } from './server-options.js';
import { UsageError } from './usage-error.js';

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
