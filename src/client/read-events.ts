import { createParser } from 'eventsource-parser';
import type { HarnessEvent } from './harness-event.js';
import type { WatchedSignal } from './watched-signal.js';

/**
 * The events of one connection, as many at a time as one read brought; none of a read that only
 * brought a sign of life. The next read is made when the reader asks for more.
 *
 * @throws what broke the connection.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  watched: WatchedSignal,
): AsyncGenerator<HarnessEvent[], void, undefined> {
  let events: HarnessEvent[] = [];
  const parser = createParser({
    onEvent: ({ id = '', event, data }) =>
      events.push({ id, event, data: readData(data) } as HarnessEvent),
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await watched.watch(reader.read());
    // What is left then is half an event: it comes whole on the next connection.
    if (done) return;
    parser.feed(decoder.decode(value, { stream: true }));
    const read = events;
    events = [];
    yield read;
  }
}

/** Checked before anybody counts it as received. */
function readData(text: string): object {
  const data: unknown = JSON.parse(text);
  if (typeof data === 'object' && data !== null) return data;
  throw new Error('An event came with data that is no object');
}
