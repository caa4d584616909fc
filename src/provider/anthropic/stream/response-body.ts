import type { Clock } from '../../../platform/clock.js';
import { StreamedResponse, type ChunkSource } from '../../../platform/net/dispatch-fetch.js';
import { settlesWithin } from '../../../platform/async/settles-within.js';
import { providerError, streamClosedEarly } from '../../provider-errors.js';

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
    return await settlesWithin(
      FINISH_MS,
      body.readUntil(() => false),
      clock,
    );
  } catch {
    // A broken connection cannot be reused; the message itself is complete.
    return false;
  }
}
