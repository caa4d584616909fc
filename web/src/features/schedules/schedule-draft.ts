import type { ScheduleView, WantedSchedule } from '#src/client/turnpike-client.js';
import { TurnpikeError } from '#src/client/transport/client-errors.js';
import { cronWords } from './cron-words.js';
import { knownZone } from './zone-times.js';
import { isPlainObject } from '#src/platform/json.js';

const MINUTE_MS = 60_000;
const STANDARD_CATCH_UP_MIN = '10';
const MAX_CATCH_UP_MIN = 1_440;

/** The fields of a schedule as they are typed. An empty text leaves a field out. */
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

/** The problems of a draft that can be found without the server. Pure. */
export function findProblems(draft: ScheduleDraft): FieldProblem[] {
  const { key, cron, tz, message, catchUpMs } = draft;
  const minutes = catchUpMs.trim() === '' ? Number.NaN : Number(catchUpMs);
  const found: [keyof ScheduleDraft, boolean, string][] = [
    ['key', !/^[\w.-]{1,100}$/.test(key), 'Use letters, digits, _ - and . only.'],
    [
      'cron',
      cronWords(cron) === undefined,
      'This is no cron expression: give five fields, as 0 9 * * 1-5.',
    ],
    ['tz', !isZone(tz.trim()), 'This is no time zone. Choose one from the list, as Europe/Berlin.'],
    ['message', message.trim() === '', 'Give a message.'],
    [
      'catchUpMs',
      !(minutes >= 0 && minutes <= MAX_CATCH_UP_MIN),
      `Give a number of minutes, up to ${MAX_CATCH_UP_MIN} (a day).`,
    ],
    ['opts', optsOf(draft) === undefined, 'Give a JSON object, as {"maxTurns": 5}.'],
  ];
  return found.flatMap(([field, isWrong, text]) => (isWrong ? [{ field, text }] : []));
}

/** Whether the browser knows the zone. Pure. */
function isZone(tz: string): boolean {
  return (
    tz === 'UTC' || (tz !== '' && knownZone(tz) !== 'UTC') || /^(?:Etc\/)?(?:UTC|GMT)$/i.test(tz)
  );
}

/** The request for a draft without problems. Pure. */
export function parseDraft(draft: ScheduleDraft): WantedSchedule {
  const { cron, tz, session, message } = draft;
  const opts = optsOf(draft) ?? {};
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
    catchUpMs: Math.round(Number(draft.catchUpMs) * MINUTE_MS),
    ...(agent !== '' && { agent }),
    ...(projectRoot !== '' && { projectRoot }),
    ...(Object.keys(opts).length > 0 && { opts }),
  };
}

function optsOf({ opts }: ScheduleDraft): Record<string, unknown> | undefined {
  return opts.trim() === '' ? {} : parseObject(opts);
}

/** In words: what happens if the previous run is not finished at a fire time. */
export const overlaps = ['skip', 'queueOne', 'allow'] as const satisfies readonly NonNullable<
  WantedSchedule['overlap']
>[];

const fields: readonly string[] = Object.keys(draftOf(undefined, ''));

/** The fields of errors that name no field. */
const fieldsOfCodes: Record<string, keyof ScheduleDraft> = {
  PERSONA_NOT_FOUND: 'agent',
  SESSION_NOT_FOUND: 'session',
  WORKING_ROOT_INACCESSIBLE: 'projectRoot',
  WORKING_ROOT_CONFLICT: 'projectRoot',
};

/** The field that an error is about, with the message; undefined: it is about no field. Pure. */
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
