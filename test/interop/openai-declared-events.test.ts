import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { ResponseStreamEvent } from 'openai-6/resources/responses/responses';
import type { ResponseStreamEvent as StrictEvent } from 'openai/resources/responses/responses';
import type {
  ResponsesEvent,
  ResponseObject,
} from '../../src/wires/responses/dialect/response-frames.js';

/** A type after JSON: its fields may be written to. */
type Sent<T> = T extends readonly (infer Item)[]
  ? Sent<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Sent<T[Key]> }
    : T;

type Named<Event, Type> = Event extends { type: infer Own }
  ? Type extends Own
    ? Omit<Event, 'type'> & { type: Type }
    : never
  : never;

/** Types of our events whose form an official client declares otherwise, or not at all. */
type Differing<Declared> = {
  [Type in ResponsesEvent['type']]: Sent<Named<ResponsesEvent, Type>> extends Named<Declared, Type>
    ? never
    : Type;
}[ResponsesEvent['type']];

type DeclaredResponse<Declared> =
  Extract<Declared, { type: 'response.created' }> extends {
    response: infer Whole;
  }
    ? Whole
    : never;

type RequiredOf<T> = { [Key in keyof T]-?: object extends Pick<T, Key> ? never : Key }[keyof T];

/** Fields of a response that we send in another form than declared, or that we do not send. */
type DifferingFields<Declared, Ours = Sent<ResponseObject>> = {
  [Key in keyof Ours & keyof Declared]: Ours[Key] extends Declared[Key] ? never : Key;
}[keyof Ours & keyof Declared];
type Unsent<Declared> = Exclude<RequiredOf<Declared>, keyof ResponseObject>;

type Reasons<Names extends PropertyKey> = Readonly<Record<Names, string>>;

/** Why a response differs from what version 6 of the package declares. */
const fields = {
  error: 'codes are those of our table of errors: the package lists those of OpenAI',
  incomplete_details: 'reasons are those of our limits, where OpenAI has none for them',
  reasoning: 'efforts are those of the model, which the package lists for OpenAI',
  text: 'the format is what the request had, which was checked by its own rules',
  usage: 'null before the first step ends, as the open specification has it',
  user: 'null where the request had none, as the open specification has it',
} as const satisfies Reasons<DifferingFields<DeclaredResponse<ResponseStreamEvent>>>;

const unsent = {
  output_text: 'the package makes it of the items',
} as const satisfies Reasons<Unsent<DeclaredResponse<ResponseStreamEvent>>>;

const withResponse = 'the fields of the response';
const events = {
  'response.created': withResponse,
  'response.in_progress': withResponse,
  'response.completed': withResponse,
  'response.failed': withResponse,
  'response.incomplete': withResponse,
} as const satisfies Reasons<Differing<ResponseStreamEvent>>;

/** Differences from version 7, beside those from version 6. */
const strictFields = {
  ...fields,
  output: 'an mcp_call has its error as a text, as version 6 declares it',
} as const satisfies Reasons<DifferingFields<DeclaredResponse<StrictEvent>>>;

const strictUnsent = {
  ...unsent,
  access_programs: 'programs are between OpenAI and its customers',
} as const satisfies Reasons<Unsent<DeclaredResponse<StrictEvent>>>;

const strictEvents = {
  ...events,
  'response.output_item.added': strictFields.output,
  'response.output_item.done': strictFields.output,
} as const satisfies Reasons<Differing<StrictEvent>>;

/** The types above are checked with all others; what they find is what the page says. */
describe('the differences from the events that the official client declares', () => {
  const page = readFileSync('docs/wires/responses-fields.md', 'utf8');
  const [, listed = ''] =
    /\n- The types of the package `openai`([^]*?)\n(?:- |\n)/.exec(page) ?? [];
  const named = [...listed.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name);

  it('are fields that the page of the wire names, and no others', () => {
    const differing = Object.keys({ ...strictFields, ...strictUnsent, mcp_call: strictEvents });
    expect(new Set(named)).toEqual(new Set(differing.filter((name) => name !== 'output')));
  });
});
