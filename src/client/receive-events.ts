import { createParser } from 'eventsource-parser';
import type { HarnessEvent } from './harness-event.js';
import type { StallSignal } from './stall-signal.js';

/**
 * The events of one connection, those of one chunk together; a chunk with comments alone gives an empty
 * list. The next chunk is received when the caller asks for more.
 *
 * @throws the error that broke the connection; Error for data that is no JSON object.
 */
export async function* receiveEvents(
  body: ReadableStream<Uint8Array>,
  stallSignal: StallSignal,
): AsyncGenerator<HarnessEvent[], void, undefined> {
  let events: HarnessEvent[] = [];
  const parser = createParser({
    onEvent: ({ id = '', event, data }) =>
      events.push({ id, event, data: parseData(data) } as HarnessEvent),
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await stallSignal.guard(reader.read());
    // The rest in the parser is half an event: the next connection sends it whole.
    if (done) return;
    parser.feed(decoder.decode(value, { stream: true }));
    const received = events;
    events = [];
    yield received;
  }
}

/** Validated before the event counts as received. */
function parseData(text: string): object {
  const data: unknown = JSON.parse(text);
  if (typeof data === 'object' && data !== null) return data;
  throw new Error('An event came with data that is no object');
}
