import type Anthropic from '@anthropic-ai/sdk';
import { noUsage } from '../../events/turn-event.js';
import type { Usage } from '../../storage/shapes/stored-step.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';
import { cutText } from '../../platform/text/cut-text.js';
import type { ModelEvent, StopReason } from '../model-types.js';
import { malformedStream } from '../provider-errors.js';
import { StreamErrorEvent } from './map-error.js';
import {
  addDelta,
  closeBlock,
  openBlock,
  restOf,
  serverEvents,
  wrappedEvents,
  type OpenBlock,
} from './open-block.js';

type Wire = Record<string, unknown>;

/** The state of a message while its stream is parsed. One for each call; the fold changes it. */
export interface StreamState {
  phase: 'start' | 'open' | 'ended';
  /** Whether the message may begin without `message_start`. */
  mayOmitStart: boolean;
  /** The tools that are called by `use_tool`; undefined: all are called by their names. */
  wrapped: ReadonlySet<string> | undefined;
  /** Open blocks by their index on the wire. */
  blocks: Map<number, OpenBlock>;
  /** Whether a block has begun. */
  hasContent: boolean;
  usage: Usage;
  stopReason: unknown;
  details: string | undefined;
  /** The category of a refusal. */
  category: string | undefined;
}

export function newStreamState(wrapped?: ReadonlySet<string>, mayOmitStart = false): StreamState {
  return {
    phase: 'start',
    mayOmitStart,
    wrapped,
    blocks: new Map(),
    hasContent: false,
    usage: noUsage,
    stopReason: undefined,
    details: undefined,
    category: undefined,
  };
}

/**
 * Applies one event of the wire, as parsed JSON, to `state`, and appends its model events to `out`.
 * No I/O, no clock; the same wire gives the same events, however the network splits it.
 *
 * Unknown event types are ignored, unknown blocks become `opaque` parts. A message with an unknown stop reason, or with
 * content and none, is whole: what it is has come, and was paid. The input of a tool call
 * that is not a JSON object becomes `{"__invalid_json": "<the text>"}`.
 *
 * @throws `StreamErrorEvent` for an `error` event, `API_RESPONSE_ERROR` 502 for events out of order;
 * its message names the block.
 */
export function fromStreamEvent(state: StreamState, raw: unknown, out: ModelEvent[]): void {
  if (!isPlainObject(raw)) throw malformedStream('an event is not an object');
  switch (raw['type']) {
    case 'content_block_delta': {
      const index = blockIndex(state, raw);
      const block = state.blocks.get(index);
      if (block === undefined)
        throw malformedStream(`a delta came for block ${index} before its start`);
      return addDelta(block, field(raw, 'delta'), out);
    }
    case 'content_block_start': {
      startUnlessBegun(state, out);
      const index = blockIndex(state, raw);
      if (state.blocks.has(index)) throw malformedStream(`block ${index} started twice`);
      state.blocks.set(index, openBlock(field(raw, 'content_block'), out, state.wrapped));
      state.hasContent = true;
      return;
    }
    case 'content_block_stop': {
      const index = blockIndex(state, raw);
      const block = state.blocks.get(index);
      if (block === undefined) throw malformedStream(`block ${index} ended before its start`);
      state.blocks.delete(index);
      const part = closeBlock(block, state.wrapped);
      out.push(...restOf(block), ...wrappedEvents(block, part));
      out.push({ type: 'part.ended', part }, ...serverEvents(part));
      return;
    }
    case 'message_start':
      if (state.phase !== 'start') throw malformedStream('the message started twice');
      state.phase = 'open';
      return startMessage(state, object(raw['message']), out);
    case 'message_delta': {
      startUnlessBegun(state, out);
      requireOpen(state, 'message_delta');
      const delta = object(raw['delta']);
      state.usage = mapUsage(state.usage, raw['usage']);
      state.stopReason = delta['stop_reason'] ?? state.stopReason;
      const { details, category } = refusalOf(delta['stop_details']);
      state.details = details ?? state.details;
      state.category = category ?? state.category;
      return;
    }
    case 'message_stop':
      return endMessage(state, out);
    case 'error':
      throw new StreamErrorEvent(raw);
    default:
      return;
  }
}

/** Starts a message whose server has left `message_start` out. */
function startUnlessBegun(state: StreamState, out: ModelEvent[]): void {
  if (state.phase !== 'start' || !state.mayOmitStart) return;
  state.phase = 'open';
  startMessage(state, {}, out);
}

function startMessage(state: StreamState, message: Wire, out: ModelEvent[]): void {
  const { id, model } = message;
  state.usage = mapUsage(state.usage, message['usage']);
  out.push({
    type: 'started',
    usage: state.usage,
    ...(typeof id === 'string' ? { responseId: id } : {}),
    ...(typeof model === 'string' ? { model } : {}),
  });
}

function endMessage(state: StreamState, out: ModelEvent[]): void {
  requireOpen(state, 'message_stop');
  const [open] = state.blocks.keys();
  if (open !== undefined) throw malformedStream(`the message ended before block ${open}`);
  const { stopReason: reason, usage, details, category } = state;
  const known = stopReasonOf(reason);
  // Nothing came, and nothing says that this is all: the call may be made again.
  if ((reason ?? null) === null && !state.hasContent) {
    throw malformedStream('the message has neither content nor a stop reason');
  }
  state.phase = 'ended';
  out.push({
    type: 'ended',
    stopReason: known ?? 'end_turn',
    usage,
    ...compact({
      details,
      category,
      unknownReason: known === undefined ? shown(reason) : undefined,
    }),
  });
}

function blockIndex(state: StreamState, raw: Wire): number {
  const index = raw['index'];
  if (typeof index !== 'number') throw malformedStream(`a ${String(raw['type'])} has no index`);
  if (state.phase !== 'open') requireOpen(state, `${String(raw['type'])} of block ${index}`);
  return index;
}

function requireOpen(state: StreamState, what: string): void {
  if (state.phase === 'open') return;
  const when = state.phase === 'start' ? 'before the message started' : 'after the message ended';
  throw malformedStream(`${what} came ${when}`);
}

function field(raw: Wire, name: string): Wire {
  const value = raw[name];
  if (!isPlainObject(value)) throw malformedStream(`a ${String(raw['type'])} has no ${name}`);
  return value;
}

/** The provider's explanation of a refusal, else the name of its category; and that category. */
function refusalOf(details: unknown): Pick<StreamState, 'details' | 'category'> {
  const { explanation, category } = object(details);
  const text = explanation ?? category;
  return {
    details: typeof text === 'string' ? text : undefined,
    category: typeof category === 'string' ? category : undefined,
  };
}

/** The stop reasons of the API in the terms of `StopReason`. */
const stopReasons: Readonly<Record<Anthropic.StopReason, StopReason>> = {
  end_turn: 'end_turn',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_use',
  pause_turn: 'pause_turn',
  refusal: 'refusal',
  model_context_window_exceeded: 'context_window',
};

/** The stop reason of a reply in the terms of `StopReason`; undefined for none, and for one that is not known. */
export function stopReasonOf(reason: unknown): StopReason | undefined {
  return Object.entries(stopReasons).find(([name]) => name === reason)?.[1];
}

const SHOWN_REASON_CHARS = 100;

function shown(reason: unknown): string {
  const isName = typeof reason === 'string' && reason !== '';
  const text = isName ? reason : JSON.stringify(reason ?? null);
  return cutText(text.toWellFormed().replaceAll(/\p{Cc}/gu, ' '), SHOWN_REASON_CHARS);
}

/**
 * The usage after one more report of the stream. Reports are cumulative: a value replaces the known
 * one; a value that is missing or null leaves it. Start with `noUsage`.
 */
export function mapUsage(known: Usage, report: unknown): Usage {
  if (!isPlainObject(report)) return known;
  const cached = object(report['cache_creation']);
  const output = object(report['output_tokens_details']);
  const server = object(report['server_tool_use']);
  return {
    inputTokens: counted(report['input_tokens'], known.inputTokens),
    outputTokens: counted(report['output_tokens'], known.outputTokens),
    cacheReadTokens: counted(report['cache_read_input_tokens'], known.cacheReadTokens),
    cacheWriteTokens: counted(report['cache_creation_input_tokens'], known.cacheWriteTokens),
    ...compact({
      cacheWrite5mTokens: counted(cached['ephemeral_5m_input_tokens'], known.cacheWrite5mTokens),
      cacheWrite1hTokens: counted(cached['ephemeral_1h_input_tokens'], known.cacheWrite1hTokens),
      thinkingTokens: counted(output['thinking_tokens'], known.thinkingTokens),
      // Absent where there were none.
      webSearches: counted(server['web_search_requests'], known.webSearches) || undefined,
    }),
  };
}

function object(value: unknown): Record<string, unknown> {
  return isPlainObject(value) ? value : {};
}

/** A count of the report, else the known one. */
function counted<Known extends number | undefined>(value: unknown, known: Known): number | Known {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : known;
}
