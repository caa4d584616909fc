import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResultSchema, type Progress } from '@modelcontextprotocol/sdk/types.js';
import { linkAbort } from '../../../platform/abort.js';
import { compact } from '../../../platform/compact.js';
import type { JsonObject } from '../../../platform/json.js';

/** What Node's timers can hold: limits of time are signals here. */
const longestTimeout = 2 ** 31 - 1;

/**
 * Asks a server, until `signal` aborts. The result is not read by the SDK's schemas: one odd part
 * would cost the whole of it.
 *
 * @throws McpError and what the transport throws.
 */
export async function sendRequest(
  client: Client,
  request: { method: string; params: JsonObject },
  { signal, onprogress }: { signal: AbortSignal; onprogress?: (progress: Progress) => void },
): Promise<Record<string, unknown>> {
  // One controller a request: the SDK's listener on its signal stays.
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
