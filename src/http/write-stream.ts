import type { ServerResponse } from 'node:http';
import type { TurnEvent } from '../events/turn-event.js';
import type { Logger } from '../platform/logger.js';
import type { PlacedFrame } from '../wires/framing/encode-turn.js';
import { formatFrame } from '../wires/framing/sse-frame.js';
import { SseWriter, type SseWriterDeps } from './sse-writer.js';

/** Characters of one write. After it the reader is waited for. */
const WRITE_LENGTH = 64 * 1024;

export interface TurnStream {
  /** Follows the turn until its end, or until the signal aborts. */
  follow(signal: AbortSignal): AsyncIterable<readonly TurnEvent[]>;
  encode(event: TurnEvent): PlacedFrame[];
  /** Whether the stream ends before its turn does: asked after each event. Absent: never. */
  isOver?(): boolean;
  /**
   * Whether its reader may have all of it: then the headers wait for the first frame, and without one the
   * answer is 204. Absent: no.
   */
  mayBeEmpty?: boolean;
}

export interface WriteStreamDeps extends SseWriterDeps {
  logger: Logger;
}

/**
 * One reader's stream: batches of events in, each one write of frames. A long replay goes out as
 * fast as the reader takes it, not faster. Resolves when the stream is over, also when its client
 * left, which `follow` is always told by its signal; the turn is not touched.
 *
 * @throws what `follow` threw while nothing was written: the error can still be the answer. Later it
 *   ends the connection, as no frame of its own would have a cursor for an id.
 */
export async function writeStream(
  response: ServerResponse,
  stream: TurnStream,
  deps: WriteStreamDeps,
): Promise<void> {
  // Its client left while the request was looked at: a reader that came and went, for whoever counts.
  if (response.destroyed) return leaveAtOnce(stream);
  const writer = new SseWriter(response, deps, { opensAtOnce: stream.mayBeEmpty !== true });
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    // An answer to HEAD is its headers.
    if (response.req.method !== 'HEAD') {
      for await (const text of toTexts(stream, gone.signal)) {
        await writer.write(text);
        if (gone.signal.aborted) return;
      }
    }
    writer.end();
  } catch (error) {
    if (gone.signal.aborted) return;
    if (!response.headersSent) throw error;
    deps.logger.error({ error }, 'a stream broke');
    response.destroy();
  } finally {
    writer.stop();
    gone.abort();
  }
}

async function leaveAtOnce({ follow }: TurnStream): Promise<void> {
  for await (const _events of follow(AbortSignal.abort())) return;
}

async function* toTexts({ follow, encode, isOver }: TurnStream, signal: AbortSignal) {
  for await (const batch of follow(signal)) {
    let text = '';
    for (const event of batch) {
      for (const frame of encode(event)) text += formatFrame(frame);
      if (isOver?.() === true) {
        if (text !== '') yield text;
        return;
      }
      if (text.length < WRITE_LENGTH) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }
}
