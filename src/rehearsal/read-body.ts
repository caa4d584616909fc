import type { IncomingMessage } from 'node:http';
import { refuse, wireError } from './wire-error.js';

/** The API's own limit: 32 MB. */
const mostBytes = 32 * 1024 * 1024;

/** @throws a 413 for a body over 32 MB, a 400 for one that is not JSON */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    // Read on to the end: to stop here would cut the connection before the client reads its 413.
    if (size <= mostBytes) chunks.push(bytes);
  }
  if (size > mostBytes) throw wireError(413, 'Request exceeds the maximum size of 32 MB.');
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw refuse(`The body is not valid JSON: ${reason}`);
  }
}
