import type { Clock } from '../../../platform/clock.js';
import { StreamedResponse, type ChunkReader } from '../../../platform/net/dispatch-fetch.js';
import { settlesWithin } from '../../../platform/async/settles-within.js';
import { providerError, streamClosedEarly } from '../../provider-errors.js';

/** Longest time from the end of a message to the end of its body, in ms. */
const FINISH_MS = 100;

/**
 * The body of an event stream.
 *
 * @throws 502 `API_RESPONSE_ERROR` for any other type, which a wrong base URL answers with.
 */
export function openBody(response: Response): ChunkReader {
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
  return response.body.getReader();
}

/**
 * Reads a body to its end after the message, so that the next call can reuse the connection.
 *
 * @returns false when the end did not come within 100 ms: close the connection.
 */
export async function finishBody(body: ChunkReader, clock: Clock): Promise<boolean> {
  try {
    return await settlesWithin(FINISH_MS, drain(body), clock);
  } catch {
    // A broken connection cannot be reused; the message itself is complete.
    return false;
  }
}

async function drain(body: ChunkReader): Promise<void> {
  let chunk = await body.read();
  while (!chunk.done) chunk = await body.read();
}
