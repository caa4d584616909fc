import type { ServerResponse } from 'node:http';
import { retryAdvice } from '../../platform/retry-advice.js';
import type { TypedError } from '../../errors/typed-error.js';
import type { OracleChunk } from './dialect/oracle-chunk.js';
import { SseWriter, type SseWriterDeps } from '../../http/sse-writer.js';

/** A stream that is one error: there is no turn, so it has no place in one. */
export async function writeErrorChunk(
  response: ServerResponse,
  error: TypedError,
  deps: SseWriterDeps,
): Promise<void> {
  const { type, message, status } = error;
  const metadata = { termination_reason: type, status, ...retryAdvice(error) };
  const chunk: OracleChunk = { type: 'error', error: message, metadata };
  const writer = new SseWriter(response, deps);
  try {
    await writer.write(`data: ${JSON.stringify(chunk)}\n\n`);
    writer.end();
  } finally {
    writer.stop();
  }
}
