import { assertNever } from '../../platform/assert-never.js';
import { isPlainObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { INVALID_JSON, USE_TOOL, type ModelEvent } from '../model-types.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import { malformedStream } from '../provider-errors.js';
import { serverCallOf, serverResultOf, toSource } from './wire-blocks.js';
import { parseJson, printJson } from '../../platform/exact-json.js';
import { unwrapCall } from './tool-search.js';

/**
 * A content block between its start and its stop. `json` is the tool input received so far. What grows is in pieces:
 * a string to which a piece is added holds a node more of V8's for each.
 */
export type OpenBlock =
  | { kind: 'text'; text: string[]; citations: JsonObject[] }
  | { kind: 'thinking'; thinking: string[]; signature: string }
  | { kind: 'redacted_thinking'; data: string }
  | { kind: 'tool_use'; id: string; name: string; input: JsonObject; json: string[] }
  /** A call of `use_tool`, whose own tool is known at its end. */
  | { kind: 'wrapped'; id: string; name: string; input: JsonObject; json: string[] }
  | { kind: 'opaque'; block: JsonObject; json: string[] };

/**
 * Opens a block from its `content_block`, and appends the events of its first content to `out`.
 *
 * @param wrapped the tools that are called by `use_tool`. Absent: all are called by their names.
 */
export function openBlock(
  start: Record<string, unknown>,
  out: ModelEvent[],
  wrapped?: ReadonlySet<string>,
): OpenBlock {
  switch (start['type']) {
    case 'text': {
      const text = string(start['text']);
      const block: OpenBlock = { kind: 'text', text: [text], citations: [] };
      say({ type: 'text.delta', text: whole([], text) }, out);
      const citations = Array.isArray(start['citations']) ? start['citations'] : [];
      for (const citation of citations) cite(block.citations, citation, out);
      return block;
    }
    case 'thinking': {
      const thinking = string(start['thinking']);
      say({ type: 'thinking.delta', text: whole([], thinking) }, out);
      return { kind: 'thinking', thinking: [thinking], signature: string(start['signature']) };
    }
    case 'redacted_thinking':
      return { kind: 'redacted_thinking', data: string(start['data']) };
    case 'tool_use': {
      const id = string(start['id']);
      const name = string(start['name']);
      if (id === '' || name === '') throw malformedStream('a tool call has no id or no name');
      const input = object(start['input']);
      if (wrapped !== undefined && name === USE_TOOL) {
        return { kind: 'wrapped', id, name, input, json: [] };
      }
      out.push({ type: 'tool.requested', callId: id, name });
      return { kind: 'tool_use', id, name, input, json: [] };
    }
    default: {
      const block = { ...object(start) };
      const call = serverCallOf(block);
      if (call !== undefined) {
        out.push({ type: 'tool.requested', callId: call.callId, name: call.name, by: 'provider' });
      }
      return { kind: 'opaque', block, json: [] };
    }
  }
}

/**
 * Adds a delta to its block. An unknown kind of delta is ignored on a known block, and merged into an
 * opaque one.
 *
 * @throws `API_RESPONSE_ERROR` 502 for a known delta on a block of another kind.
 */
export function addDelta(
  block: OpenBlock,
  delta: Record<string, unknown>,
  out: ModelEvent[],
): void {
  const type = delta['type'];
  if (block.kind === 'opaque') {
    const json = type === 'input_json_delta' ? string(delta['partial_json']) : '';
    const call = json === '' ? undefined : serverCallOf(block.block);
    if (call !== undefined) {
      out.push({ type: 'tool.args.delta', callId: call.callId, json: whole(block.json, json) });
    }
    return mergeDelta(block, delta);
  }
  if (type === 'text_delta' && block.kind === 'text') {
    const text = string(delta['text']);
    if (text === '') return;
    say({ type: 'text.delta', text: whole(block.text, text) }, out);
    block.text.push(text);
  } else if (type === 'input_json_delta' && block.kind === 'tool_use') {
    const json = string(delta['partial_json']);
    if (json === '') return;
    out.push({ type: 'tool.args.delta', callId: block.id, json: whole(block.json, json) });
    block.json.push(json);
  } else if (type === 'input_json_delta' && block.kind === 'wrapped') {
    block.json.push(string(delta['partial_json']));
  } else if (type === 'thinking_delta' && block.kind === 'thinking') {
    const text = string(delta['thinking']);
    if (text === '') return;
    say({ type: 'thinking.delta', text: whole(block.thinking, text) }, out);
    block.thinking.push(text);
  } else if (type === 'signature_delta' && block.kind === 'thinking') {
    block.signature += string(delta['signature']);
  } else if (type === 'citations_delta' && block.kind === 'text') {
    cite(block.citations, delta['citation'], out);
  } else if (KNOWN_DELTAS.has(type)) {
    throw malformedStream(`a ${String(type)} came for a block of type ${block.kind}`);
  }
}

/**
 * The whole block, which replaces its deltas.
 *
 * @param wrapped see `openBlock`.
 */
export function closeBlock(block: OpenBlock, wrapped?: ReadonlySet<string>): AssistantPart {
  switch (block.kind) {
    case 'text':
      return block.citations.length === 0
        ? { type: 'text', text: block.text.join('') }
        : { type: 'text', text: block.text.join(''), citations: block.citations };
    case 'thinking':
      return { type: 'thinking', thinking: block.thinking.join(''), signature: block.signature };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data };
    case 'tool_use':
    case 'wrapped': {
      const json = block.json.join('');
      const input = json === '' ? block.input : parseInput(json);
      const call = { name: block.name, input };
      return { type: 'tool_use', id: block.id, ...(unwrapCall(call, wrapped) ?? call) };
    }
    case 'opaque': {
      const json = block.json.join('');
      if (json !== '') block.block['input'] = parseInput(json);
      return { type: 'opaque', block: block.block };
    }
    default:
      return assertNever(block);
  }
}

/** The events of a call whose tool was not known before its end. */
export function wrappedEvents(block: OpenBlock, part: AssistantPart): ModelEvent[] {
  if (block.kind !== 'wrapped' || part.type !== 'tool_use') return [];
  const { id: callId, name, input } = part;
  return [
    { type: 'tool.requested', callId, name },
    { type: 'tool.args.delta', callId, json: printJson(input) },
  ];
}

/** The event of half a character at the end of a block, whose other half did not come. */
export function restOf(block: OpenBlock): ModelEvent[] {
  if (block.kind === 'text' && endsInHalf(block.text.at(-1))) {
    return [{ type: 'text.delta', text: '\ufffd' }];
  }
  if (block.kind === 'thinking' && endsInHalf(block.thinking.at(-1))) {
    return [{ type: 'thinking.delta', text: '\ufffd' }];
  }
  return [];
}

/** The events of a whole block of a server tool; none for any other block. */
export function serverEvents(part: AssistantPart): ModelEvent[] {
  if (part.type !== 'opaque') return [];
  const call = serverCallOf(part.block);
  if (call !== undefined) return [{ type: 'server-tool.started', call }];
  const result = serverResultOf(part.block);
  return result === undefined ? [] : [{ type: 'server-tool.ended', result }];
}

const KNOWN_DELTAS: ReadonlySet<unknown> = new Set([
  'text_delta',
  'input_json_delta',
  'thinking_delta',
  'signature_delta',
  'citations_delta',
]);

function cite(citations: JsonObject[], citation: unknown, out: ModelEvent[]): void {
  if (!isPlainObject(citation)) return;
  citations.push(object(citation));
  out.push({ type: 'source.cited', source: toSource(citation) });
}

/** Appends text and lists, and replaces other values, as every delta of the wire does. */
function mergeDelta(
  open: Extract<OpenBlock, { kind: 'opaque' }>,
  delta: Record<string, unknown>,
): void {
  for (const [key, value] of Object.entries(object(delta))) {
    if (key === 'type') continue;
    if (key === 'partial_json') open.json.push(string(value));
    else if (key === 'citation') open.block['citations'] = grow(open.block['citations'], [value]);
    else open.block[key] = grow(open.block[key], value);
  }
}

function grow(before: JsonValue | undefined, more: JsonValue): JsonValue {
  if (typeof before === 'string' && typeof more === 'string') return before + more;
  if (Array.isArray(before) && Array.isArray(more)) return [...before, ...more];
  return more;
}

/** The input of a call. Broken JSON is kept as text: the loop answers the call with an error. */
function parseInput(json: string): JsonObject {
  try {
    const input = parseJson(json);
    return isPlainObject(input) ? object(input) : { [INVALID_JSON]: json };
  } catch {
    return { [INVALID_JSON]: json };
  }
}

function say(delta: ModelEvent & { text: string }, out: ModelEvent[]): void {
  if (delta.text !== '') out.push(delta);
}

/**
 * What of a piece can be sent: half a character at its end goes with the next piece. Clients that are not written in
 * JavaScript never put two halves together.
 *
 * @param before the pieces that came before it.
 */
function whole(before: readonly string[], piece: string): string {
  const last = before.at(-1);
  const text = endsInHalf(last) ? last.slice(-1) + piece : piece;
  return (endsInHalf(text) ? text.slice(0, -1) : text).toWellFormed();
}

function endsInHalf(text: string | undefined): text is string {
  return text !== undefined && /[\ud800-\udbff]$/.test(text);
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function object(value: unknown): JsonObject {
  // An object of `JSON.parse` has JSON values alone.
  return isPlainObject(value) ? (value as JsonObject) : {};
}
