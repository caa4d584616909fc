import type { TypedError } from '../../errors/typed-error.js';
import { streamTexts, type FrameStream } from '../../http/streams/frame-batch.js';
import { retryAdvice } from '../../platform/retry-advice.js';
import { formatFrame } from '../framing/sse-frame.js';
import type { OracleChunk } from './dialect/oracle-chunk.js';

/** A stream of one error. No turn was accepted, so its frame has no cursor for an id. */
export function streamError(error: TypedError): FrameStream {
  const { type, message, status } = error;
  const metadata = { termination_reason: type, status, ...retryAdvice(error) };
  const chunk: OracleChunk = { type: 'error', error: message, metadata };
  return streamTexts(async function* () {
    yield formatFrame({ data: JSON.stringify(chunk) });
  });
}
