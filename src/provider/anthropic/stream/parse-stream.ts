import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import type { EventSourceMessage } from 'eventsource-parser';
import type { ModelEvent } from '../../model-types.js';
import { malformedStream } from '../../provider-errors.js';
import { fromStreamEvent, newStreamState } from './from-stream-event.js';
import { isDeepJson, parseJson } from '../../../platform/exact-json.js';

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
 */
export function createStreamParser(): (chunk: Uint8Array) => ModelEventBatch {
  // `StringDecoder` makes strings of one byte a character from ASCII: JSON.parse takes half the
  // time that it takes for `TextDecoder`'s.
  const decoder = new StringDecoder('utf8');
  const state = newStreamState();
  let batch: ModelEventBatch = { events: [], ended: false };

  const onEvent = (message: EventSourceMessage): void => {
    if (batch.error !== undefined || message.event === 'ping') return;
    try {
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
