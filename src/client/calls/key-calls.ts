import type { Transport } from '../transport/transport.js';
import type { CreatedKey, KeyView } from '../server-types.js';

const keys = '/api/admin/keys';

/** API keys, for a key with the scope `admin`: `client.keys`. */
export class KeyCalls {
  constructor(private readonly transport: Transport) {}

  /** @param wanted `principal`; optional: `name`, `scopes`, `expiresIn`, `limits`, `projectRoots`. */
  create(wanted: Readonly<Record<string, unknown>>): Promise<CreatedKey> {
    return this.transport.json({ method: 'POST', path: keys, body: wanted });
  }

  async list(): Promise<KeyView[]> {
    return (await this.transport.json<{ keys: KeyView[] }>({ path: keys })).keys;
  }

  async revoke(keyId: string): Promise<KeyView> {
    const call = { method: 'DELETE' as const, path: `${keys}/${encodeURIComponent(keyId)}` };
    return (await this.transport.json<{ key: KeyView }>(call)).key;
  }
}
