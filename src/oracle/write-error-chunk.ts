import type { ServerResponse } from 'node:http';
import type { OracleChunk } from '../wire/dialects/oracle-chunk.js';
import { SseWriter, type SseWriterDeps } from '../wire/sse-writer.js';

/** A stream that is one error: there is no turn, so it has no place in one. */
export async function writeErrorChunk(
  response: ServerResponse,
  { message }: Error,
  deps: SseWriterDeps,
): Promise<void> {
  const chunk: OracleChunk = { type: 'error', error: message };
  const writer = new SseWriter(response, deps);
  try {
    await writer.write(`data: ${JSON.stringify(chunk)}\n\n`);
    writer.end();
  } finally {
    writer.stop();
  }
}
