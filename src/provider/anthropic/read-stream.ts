import { StringDecoder } from 'node:string_decoder';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { ModelEvent } from '../model-types.js';
import { malformedStream, providerError, streamClosedEarly } from '../provider-errors.js';
import { fromStreamEvent, newStreamState } from './from-stream-event.js';
import { StreamErrorEvent } from './map-error.js';
import { isDeepJson, parseJson } from '../../platform/exact-json.js';
import { isPlainObject } from '../../platform/json.js';
import type { Clock } from '../../platform/clock.js';
import { StreamedResponse, type ChunkSource } from '../../platform/net/dispatch-fetch.js';
import { withTimeout } from '../../platform/async/deadlines.js';

/** Longest event of the wire: most are a few hundred bytes, results of server tools a few MiB. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024;

/** The events of one network chunk. `error` came after `events`; nothing follows it. */
export interface ModelEventBatch {
  events: ModelEvent[];
  ended: boolean;
  error?: unknown;
}

/**
 * Parses a message stream by chunks: bytes → server-sent events → model events. A character, line or
 * event that is split by the end of a chunk is kept for the next one.
 *
 * @param wrapped the tools that are called by `use_tool`. Absent: all are called by their names.
 * @param mayOmitStart whether the reply may begin without `message_start`.
 */
export function createStreamParser(
  wrapped?: ReadonlySet<string>,
  mayOmitStart = false,
): (chunk: Uint8Array) => ModelEventBatch {
  // `StringDecoder` makes strings of one byte a character from ASCII: JSON.parse takes half the
  // time that it takes for `TextDecoder`'s.
  const decoder = new StringDecoder('utf8');
  const state = newStreamState(wrapped, mayOmitStart);
  let batch: ModelEventBatch = { events: [], ended: false };

  const onEvent = (message: EventSourceMessage): void => {
    if (batch.error !== undefined || message.event === 'ping') return;
    try {
      if (message.event === 'error') throw new StreamErrorEvent(errorIn(message.data));
      fromStreamEvent(state, parseData(message), batch.events);
    } catch (error) {
      batch.error = error;
    }
  };
  const parser = createParser({
    onEvent,
    maxBufferSize: MAX_EVENT_CHARS,
    onError: (error) => {
      if (error.type !== 'max-buffer-size-exceeded') return;
      batch.error ??= malformedStream(`an event is longer than ${MAX_EVENT_CHARS} characters`);
    },
  });

  return (chunk) => {
    batch = { events: [], ended: false };
    parser.feed(decoder.write(chunk));
    batch.ended = state.phase === 'ended';
    return batch;
  };
}

/** Exact numbers are in whole blocks alone: deltas have their JSON as text. */
function parseData({ event, data }: EventSourceMessage): unknown {
  if (isDeepJson(data)) throw malformedStream('an event is nested too deeply');
  try {
    return event === 'content_block_start' ? parseJson(data) : JSON.parse(data);
  } catch {
    throw malformedStream('an event is not JSON');
  }
}

/** The body of an event that is an error by its name, in the API's form: some servers send the error alone, or text. */
function errorIn(data: string): Record<string, unknown> {
  const body = isDeepJson(data) ? undefined : parsed(data);
  if (!isPlainObject(body)) return { error: { message: data } };
  return isPlainObject(body['error']) ? body : { error: body };
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** Longest time from the end of a message to the end of its body, in ms. */
const FINISH_MS = 100;

/**
 * The body of an event stream.
 *
 * @throws 502 `API_RESPONSE_ERROR` for any other type, which a wrong base URL answers with.
 */
export function openBody(response: Response): ChunkSource {
  const type = response.headers.get('content-type') ?? 'nothing';
  if (!type.toLowerCase().startsWith('text/event-stream')) {
    throw providerError({
      case: 'unknown',
      category: 'API_RESPONSE_ERROR',
      message: `The provider answered with ${type.slice(0, 100)} instead of an event stream. Check TURNPIKE_PROVIDER_BASE_URL.`,
    });
  }
  if (response instanceof StreamedResponse) return response;
  if (response.body === null) throw streamClosedEarly();
  return fromWebStream(response.body.getReader());
}

function fromWebStream(reader: ReadableStreamDefaultReader<Uint8Array>): ChunkSource {
  return {
    readUntil: async (take) => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return false;
        if (take(value)) return true;
      }
    },
  };
}

/**
 * Reads a body to its end after the message, so that the next call can reuse the connection.
 *
 * @returns false when the end did not come within 100 ms: close the connection.
 */
export async function finishBody(body: ChunkSource, clock: Clock): Promise<boolean> {
  try {
    return await withTimeout(
      FINISH_MS,
      body.readUntil(() => false),
      clock,
    );
  } catch {
    // A broken connection cannot be reused; the message itself is complete.
    return false;
  }
}

/**
 * Calls `onStall` once when nothing came for `limitMs`. One timer in all: what comes only notes the time, and the
 * timer, when it fires, sleeps for what is left.
 */
export class StallTimer {
  #lastAt: number;
  #cancelTimer: () => void;

  constructor(
    private readonly clock: Pick<Clock, 'now' | 'after'>,
    private readonly limitMs: number,
    private readonly onStall: (stalledMs: number) => void,
  ) {
    this.#lastAt = clock.now();
    this.#cancelTimer = this.#sleep(limitMs);
  }

  hasInput(): void {
    this.#lastAt = this.clock.now();
  }

  /** Releases the timer. */
  stop(): void {
    this.#cancelTimer();
  }

  #sleep(delayMs: number): () => void {
    return this.clock.after(delayMs, () => this.#check());
  }

  #check(): void {
    const silentMs = this.clock.now() - this.#lastAt;
    if (silentMs >= this.limitMs) this.onStall(silentMs);
    else this.#cancelTimer = this.#sleep(this.limitMs - silentMs);
  }
}
