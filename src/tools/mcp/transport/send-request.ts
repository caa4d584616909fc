import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResultSchema, type Progress } from '@modelcontextprotocol/sdk/types.js';
import { linkAbort } from '../../../platform/async/abort.js';
import { compact } from '../../../platform/compact.js';
import type { JsonObject } from '../../../platform/json.js';

/** Longest delay of Node's timers, in ms: the SDK's own timeout is off, as signals end requests. */
const longestTimeout = 2 ** 31 - 1;

/**
 * Sends a request to a server, until `signal` aborts. The result is not validated by the SDK's schemas:
 * one odd part would make the whole result fail.
 *
 * @throws McpError; errors of the transport.
 */
export async function sendRequest(
  client: Client,
  request: { method: string; params: JsonObject },
  { signal, onprogress }: { signal: AbortSignal; onprogress?: (progress: Progress) => void },
): Promise<Record<string, unknown>> {
  // A controller for each request: the SDK never removes its listener from the signal.
  const stop = new AbortController();
  const unlink = linkAbort(signal, stop);
  try {
    return await client.request(request, ResultSchema, {
      signal: stop.signal,
      timeout: longestTimeout,
      ...compact({ onprogress }),
    });
  } finally {
    unlink();
  }
}
