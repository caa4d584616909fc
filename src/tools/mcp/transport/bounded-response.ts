import type { PublicResponse } from '../../../platform/net/public-fetch.js';
import { MessageTooLongError } from './message-too-long.js';

const newline = 0x0a;
const carriageReturn = 0x0d;

/** Statuses whose responses have no body; 101 answers no `fetch`. */
const bodiless = [204, 205, 304];

/**
 * Bounds a response: its body fails once it is larger than `most` bytes. In a stream of events each event
 * may be that large, and the stream is endless.
 *
 * @param onEnd called when the body ended or failed.
 */
export function boundedResponse(
  response: PublicResponse,
  most: number,
  onEnd: () => void,
): Response {
  const { body, status, statusText, headers } = response;
  const head = { status, statusText, headers: [...headers] };
  if (body === null || bodiless.includes(status)) {
    onEnd();
    return new Response(null, head);
  }
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const measure = isStream ? openEvent() : wholeBody();
  const reader = body.getReader();
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      const { done, value } = await reader.read();
      if (!done && measure(value) > most) throw new MessageTooLongError(most);
      if (!done) return controller.enqueue(value);
      controller.close();
    } catch (error) {
      controller.error(error);
      // The body failed already, or is too large.
      reader.cancel().catch(() => undefined);
    }
    onEnd();
  };
  const cancel = (reason: unknown): Promise<void> => {
    onEnd();
    return reader.cancel(reason);
  };
  const bounded = new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 });
  return new Response(bounded, head);
}

/** Takes the next chunk. @returns the largest number of bytes buffered so far. */
type Measure = (chunk: Uint8Array) => number;

function wholeBody(): Measure {
  let bytes = 0;
  return (chunk) => (bytes += chunk.byteLength);
}

/** Measures the open event; an event ends with an empty line. */
function openEvent(): Measure {
  let bytes = 0;
  let isLineEmpty = true;
  return (chunk) => {
    let largest = 0;
    for (const byte of chunk) {
      bytes += 1;
      if (bytes > largest) largest = bytes;
      if (byte === newline) {
        if (isLineEmpty) bytes = 0;
        isLineEmpty = true;
      } else if (byte !== carriageReturn) isLineEmpty = false;
    }
    return largest;
  };
}
