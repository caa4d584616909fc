import type { ScheduleView, WantedSchedule } from '../../../src/client/turnpike-client.js';
import { TurnpikeError } from '../../../src/client/transport/client-errors.js';
import { isPlainObject } from '../../../src/platform/json.js';

const MINUTE_MS = 60_000;
const STANDARD_CATCH_UP_MIN = '10';

/** The fields of a schedule as they are typed. An empty text is a field that is not given. */
export interface ScheduleDraft {
  key: string;
  cron: string;
  tz: string;
  message: string;
  /** `new`, or a session's id. */
  session: string;
  agent: string;
  projectRoot: string;
  overlap: string;
  /** Minutes. */
  catchUpMs: string;
  /** JSON. */
  opts: string;
}

/** A fault of one field, in words. */
export interface FieldProblem {
  field: keyof ScheduleDraft;
  text: string;
}

/** The draft of an existing schedule, or of a new one. Pure. @param ownZone the viewer's. */
export function draftOf(schedule: ScheduleView | undefined, ownZone: string): ScheduleDraft {
  const { key = '', cron = '', tz = ownZone, message = '', session = 'new' } = schedule ?? {};
  const { agent = null, projectRoot = null, overlap = 'skip', opts = {} } = schedule ?? {};
  const catchUpMs =
    schedule === undefined ? STANDARD_CATCH_UP_MIN : String(schedule.catchUpMs / MINUTE_MS);
  const options = Object.keys(opts).length === 0 ? '' : JSON.stringify(opts, null, 2);
  const where = { session, agent: agent ?? '', projectRoot: projectRoot ?? '' };
  return { key, cron, tz, message, ...where, overlap, catchUpMs, opts: options };
}

/** The schedule that a draft asks for, or what of it no server could take. Pure. */
export function parseDraft(draft: ScheduleDraft): WantedSchedule | FieldProblem {
  const { cron, tz, session, message } = draft;
  const catchUpMin = draft.catchUpMs.trim() === '' ? Number.NaN : Number(draft.catchUpMs);
  if (!Number.isFinite(catchUpMin)) {
    return { field: 'catchUpMs', text: 'Give a number of minutes.' };
  }
  const opts = draft.opts.trim() === '' ? {} : parseObject(draft.opts);
  if (opts === undefined) {
    return { field: 'opts', text: 'Give a JSON object, as {"maxTurns": 5}.' };
  }
  // Others have the server's own words for what is wrong.
  const overlap = overlaps.find((one) => one === draft.overlap) ?? 'skip';
  const isNew = session === 'new';
  const agent = isNew ? draft.agent.trim() : '';
  const projectRoot = isNew ? draft.projectRoot.trim() : '';
  return {
    cron,
    tz: tz.trim(),
    session,
    message,
    overlap,
    catchUpMs: Math.round(catchUpMin * MINUTE_MS),
    ...(agent !== '' && { agent }),
    ...(projectRoot !== '' && { projectRoot }),
    ...(Object.keys(opts).length > 0 && { opts }),
  };
}

/** Policies for a time that comes while a turn before it runs, in words. */
export const overlaps = ['skip', 'queueOne', 'allow'] as const satisfies readonly NonNullable<
  WantedSchedule['overlap']
>[];

const fields: readonly string[] = Object.keys(draftOf(undefined, ''));

/** Errors about a field of which the server says the code alone. */
const fieldsOfCodes: Record<string, keyof ScheduleDraft> = {
  PERSONA_NOT_FOUND: 'agent',
  SESSION_NOT_FOUND: 'session',
  WORKING_ROOT_INACCESSIBLE: 'projectRoot',
  WORKING_ROOT_CONFLICT: 'projectRoot',
};

/** The field that a refusal is about, with its words; undefined where it is about none. Pure. */
export function problemOf(fault: unknown): FieldProblem | undefined {
  if (!(fault instanceof TurnpikeError)) return undefined;
  const { code, details, message: text } = fault;
  const param = isPlainObject(details) ? details['param'] : undefined;
  const [named = ''] = typeof param === 'string' ? param.split('.') : [];
  const field = isField(named) ? named : fieldsOfCodes[code];
  return field === undefined ? undefined : { field, text };
}

function isField(name: string): name is keyof ScheduleDraft {
  return fields.includes(name);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
