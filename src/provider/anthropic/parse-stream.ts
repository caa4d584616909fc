import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import type { EventSourceMessage } from 'eventsource-parser';
import type { ModelEvent } from '../model-types.js';
import { malformedStream } from '../provider-errors.js';
import { fromStreamEvent, newStreamState } from './from-stream-event.js';

/** One event of the wire is a few hundred bytes, a whole server-tool result at most a few MiB. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024;

/** What one piece of the network held. `error` came after `events`; nothing follows it. */
export interface Batch {
  events: ModelEvent[];
  ended: boolean;
  error?: unknown;
}

/**
 * Reads a message stream piece by piece: bytes → server-sent events → model events. Keeps what a
 * piece cut in two (a character, a line, an event) for the next one.
 */
export function createStreamParser(): (piece: Uint8Array) => Batch {
  // Makes one-byte strings of ASCII, which parse as JSON in half the time of `TextDecoder`'s.
  const decoder = new StringDecoder('utf8');
  const state = newStreamState();
  let batch: Batch = { events: [], ended: false };

  const onEvent = (message: EventSourceMessage): void => {
    if (batch.error !== undefined || message.event === 'ping') return;
    try {
      fromStreamEvent(state, parseData(message.data), batch.events);
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

  return (piece) => {
    batch = { events: [], ended: false };
    parser.feed(decoder.write(piece));
    batch.ended = state.phase === 'ended';
    return batch;
  };
}

function parseData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw malformedStream('an event is not JSON');
  }
}
