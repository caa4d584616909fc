import { Allow, parse } from 'partial-json';
import type { TurnEvent } from '../../events/turn-event.js';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import { jsonBody, JsonMeter } from '../../platform/text/json-text.js';
import { exactBeginning } from '../../platform/exact-json.js';

/** The object of a turn as far as it has come, on the step that writes it. Empty: the step was discarded. */
export interface PartialOutput {
  step: number;
  output: JsonObject;
}

/** The text of the reply that may be the object, as a dialect follows it. Undefined: the turn ends with text. */
export type OutputProgress =
  | { step: number; text: string; isOpen: boolean; sentAt: number; sent: string }
  | undefined;

type Followed = { progress: OutputProgress; partial?: PartialOutput };

/** The shortest time between two partial objects of a reply, in ms. */
const GAP_MS = 250;
/** Depth and size from which an object is not shown before it is whole. */
const limits = { levels: 100, keys: 10_000, values: 100_000 };
/** Texts may be cut; numbers and words are shown once they are whole. */
const mayBeCut = Allow.OBJ | Allow.ARR | Allow.STR;

/**
 * Follows the object of a turn through its events: a partial one at most four times a second, by the
 * events' own times, so that each reader and each replay gets the same. Pure.
 */
export function followOutput(before: OutputProgress, event: TurnEvent): Followed {
  if (before === undefined) {
    if (event.type !== 'turn.started' || event.hasOutput !== true) return { progress: undefined };
    return { progress: { step: 0, text: '', isOpen: false, sentAt: 0, sent: '' } };
  }
  if (event.type === 'step.started') {
    return { progress: { ...before, step: event.step, text: '', isOpen: true, sent: '' } };
  }
  if (event.type === 'step.discarded') {
    const progress = { ...before, text: '', isOpen: false, sent: '' };
    return { progress, partial: { step: event.step, output: {} } };
  }
  // The note of a limit comes after its step.
  if (!before.isOpen) return { progress: before };
  if (event.type === 'tool.requested') return { progress: { ...before, text: '' } };
  if (event.type === 'step.ended') return show({ ...before, isOpen: false }, before.sentAt);
  if (event.type !== 'text.delta') return { progress: before };
  const progress = { ...before, text: before.text + event.text };
  const at = Date.parse(event.at);
  return at - before.sentAt < GAP_MS ? { progress } : show(progress, at);
}

/** Shows what has come, unless that was shown. */
function show(progress: NonNullable<OutputProgress>, sentAt: number): Followed {
  const output = parsePartial(progress.text);
  if (output === undefined) return { progress };
  const sent = JSON.stringify(output);
  if (sent === progress.sent) return { progress };
  return { progress: { ...progress, sentAt, sent }, partial: { step: progress.step, output } };
}

/** The object that a text begins with; undefined where it begins with none. Pure. */
export function parsePartial(text: string): JsonObject | undefined {
  const body = jsonBody(text);
  if (!body.startsWith('{')) return undefined;
  if (new JsonMeter(limits).add(Buffer.from(body)) !== undefined) return undefined;
  try {
    const parsed: unknown = parse(exactBeginning(body), mayBeCut);
    return isPlainObject(parsed) ? (whole(parsed) as JsonObject) : undefined;
  } catch (error) {
    // The text is no JSON: its turn finds that out.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** A value whose texts do not end in half a surrogate pair. */
function whole(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/[\uD800-\uDBFF]$/, '');
  if (Array.isArray(value)) return value.map(whole);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, whole(item)]));
}
