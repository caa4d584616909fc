import { Client } from '../clients/client.js';
import { makeKey } from '../clients/keyed-client.js';
import { startServer, type TestServer, type TestServerOptions } from '../processes/start-server.js';

/** A server, and a client of it with a key that has all scopes. */
export interface Keyed extends TestServer {
  headers: Record<string, string>;
}

export async function startKeyed(options: TestServerOptions = {}): Promise<Keyed> {
  const server = await startServer(options);
  const scopes = ['turns', 'approvals', 'admin'];
  const { secret } = await makeKey(server, { principal: 'local', scopes });
  const headers = { authorization: `Bearer ${secret}` };
  return { ...server, client: new Client(server.url, headers), headers };
}

/** An export. @param query as `?sessionId=…`. */
export async function exportOf({ url, headers }: Keyed, query = ''): Promise<string> {
  const response = await fetch(`${url}/api/admin/export${query}`, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`No export: ${response.status} ${text}`);
  return text;
}

export async function importInto(
  { url, headers }: Keyed,
  body: string | ReadableStream<Uint8Array>,
  query = '',
): Promise<{ status: number; body: Record<string, unknown> }> {
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body,
    duplex: 'half',
  };
  const response = await fetch(`${url}/api/admin/import${query}`, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
