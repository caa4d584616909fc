import type { HarnessEvent } from '../turn/harness-event.js';
import { receiveFrames, type ReceivedFrame } from './receive-frames.js';
import type { StallSignal } from './stall-signal.js';

/**
 * The events of one connection, as `receiveFrames` has its frames.
 *
 * @throws the error that broke the connection; Error for data that is no JSON object.
 */
export async function* receiveEvents(
  body: ReadableStream<Uint8Array>,
  stallSignal: StallSignal,
): AsyncGenerator<HarnessEvent[], void, undefined> {
  for await (const frames of receiveFrames(body, stallSignal)) yield frames.map(toEvent);
}

/** Validated before the event counts as received. */
function toEvent({ id, event, data: text }: ReceivedFrame): HarnessEvent {
  const data: unknown = JSON.parse(text);
  if (typeof data === 'object' && data !== null) return { id, event, data } as HarnessEvent;
  throw new Error('An event came with data that is no object');
}
