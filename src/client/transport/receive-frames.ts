import { createParser } from 'eventsource-parser';
import type { StallSignal } from './stall-signal.js';

export interface ReceivedFrame {
  /** Blank where the frame has none. */
  id: string;
  event: string | undefined;
  data: string;
}

/**
 * The frames of one connection, those of one chunk together; a chunk with comments alone gives an empty
 * list. The next chunk is received when the caller asks for more.
 *
 * @throws the error that broke the connection.
 */
export async function* receiveFrames(
  body: ReadableStream<Uint8Array>,
  stallSignal: StallSignal,
): AsyncGenerator<ReceivedFrame[], void, undefined> {
  let frames: ReceivedFrame[] = [];
  const parser = createParser({
    onEvent: ({ id = '', event, data }) => void frames.push({ id, event, data }),
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await stallSignal.guard(reader.read());
    // The rest in the parser is half a frame: the next connection sends it whole.
    if (done) return;
    parser.feed(decoder.decode(value, { stream: true }));
    const received = frames;
    frames = [];
    yield received;
  }
}
