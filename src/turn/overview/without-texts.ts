import { isPlainObject } from '../../platform/json.js';
import type { TurnEvent } from '../../events/turn-event.js';

/** Fields of events that are names, ids, times and numbers: they say what a turn did, and nothing that anybody wrote. */
const kept: ReadonlySet<string> = new Set([
  'type',
  'at',
  'sessionId',
  'messageId',
  'agent',
  'model',
  'callId',
  'name',
  'by',
  'kind',
  'level',
  'status',
  'approvalId',
  'approvalIds',
  'decision',
  'expiresAt',
  'onTimeout',
  'childTurnId',
  'outcome',
  'stopReason',
  'phase',
  'errorType',
  'severity',
  'requestId',
  'unit',
]);

/** Events whose `name` is that of a file, not of a tool. */
const ofFiles: ReadonlySet<string> = new Set(['attachment.rejected']);

/** Events whose `reason` is one of the server's words. */
const withReason: ReadonlySet<string> = new Set(['turn.queued', 'turn.recovering', 'turn.ended']);

/** Objects of names and texts that somebody else defined: nothing of them is kept. */
const closed: ReadonlySet<string> = new Set([
  'source',
  'input',
  'details',
  'metadata',
  'question',
  'output',
  'files',
]);

/**
 * An event without what people, the model and tools said: texts are empty, and what has a shape of its own is `null`.
 * A field that a later event adds is a text until it is named here. Pure.
 */
export function withoutTexts(event: TurnEvent): TurnEvent {
  return stripEvent(event) as TurnEvent;
}

/** @param event an event, or one that an event of a subagent carries. */
function stripEvent(event: object): Record<string, unknown> {
  const type = 'type' in event && typeof event.type === 'string' ? event.type : '';
  const [keepsReason, namesFile] = [withReason.has(type), ofFiles.has(type)];
  const strip = (value: unknown, name: string): unknown => {
    if (closed.has(name)) return Array.isArray(value) ? [] : typeof value === 'string' ? '' : null;
    if (typeof value === 'string') {
      if (name === 'reason') return keepsReason ? value : '';
      return kept.has(name) && !(name === 'name' && namesFile) ? value : '';
    }
    if (Array.isArray(value)) return value.map((one) => strip(one, name));
    if (!isPlainObject(value)) return value;
    if (name === 'event') return stripEvent(value);
    return mapFields(value, strip);
  };
  return mapFields(event, strip);
}

function mapFields(
  fields: object,
  map: (value: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, map(value, name)]),
  );
}
