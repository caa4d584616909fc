import { KeyedClient } from '../clients/keyed-client.js';

/** A page token that a key makes, and a client with it. @param wanted the body of the request. */
export async function pageOf(backend: KeyedClient, wanted: object = {}): Promise<KeyedClient> {
  const { status, body, text } = await backend.send('POST', '/api/harness/tokens', wanted);
  if (status !== 200) throw new Error(`No page token: ${status} ${text}`);
  return new KeyedClient(backend.url, String(body['token']));
}
