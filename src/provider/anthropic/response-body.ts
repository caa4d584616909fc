import type { Clock } from '../../platform/clock.js';
import { providerError, streamClosedEarly } from '../provider-errors.js';

export type ResponseReader = ReadableStreamDefaultReader<Uint8Array>;

/** How long the last bytes may take after the message ended. A provider sends them at once. */
const FINISH_MS = 100;

/**
 * The body of an answer that is an event stream.
 *
 * @throws 502 `API_RESPONSE_ERROR` for anything else, which is what a wrong base URL answers.
 */
export function openBody(response: Response): ResponseReader {
  const type = response.headers.get('content-type') ?? 'nothing';
  if (!type.toLowerCase().startsWith('text/event-stream')) {
    throw providerError({
      status: 502,
      category: 'API_RESPONSE_ERROR',
      message: `The provider answered with ${type.slice(0, 100)} instead of an event stream. Check TURNPIKE_PROVIDER_BASE_URL.`,
    });
  }
  if (response.body === null) throw streamClosedEarly();
  return response.body.getReader();
}

/**
 * Reads the end of a body whose message is complete, so that the next call can use the connection
 * again instead of opening one.
 *
 * @returns false when the end did not come within 100 ms: close the connection.
 */
export async function finishBody(body: ResponseReader, clock: Clock): Promise<boolean> {
  let cancelTimer = (): void => undefined;
  const late = new Promise<boolean>((resolve) => {
    cancelTimer = clock.after(FINISH_MS, () => resolve(false));
  });
  const finished = drain(body).then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([finished, late]);
  } finally {
    cancelTimer();
  }
}

async function drain(body: ResponseReader): Promise<void> {
  let piece = await body.read();
  while (!piece.done) piece = await body.read();
}
