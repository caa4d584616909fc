import type { Line } from './transport.js';
import type { CreatedKey, KeyView } from './server-types.js';

const keys = '/api/admin/keys';

/** API keys, for a key with the scope `admin`: `client.keys`. */
export class KeyCalls {
  constructor(private readonly line: Line) {}

  /** @param wanted `principal`, and `name`, `scopes`, `expiresIn`, `limits`, `projectRoots`. */
  create(wanted: Readonly<Record<string, unknown>>): Promise<CreatedKey> {
    return this.line.json({ method: 'POST', path: keys, body: wanted });
  }

  async list(): Promise<KeyView[]> {
    return (await this.line.json<{ keys: KeyView[] }>({ path: keys })).keys;
  }

  async revoke(keyId: string): Promise<KeyView> {
    const call = { method: 'DELETE' as const, path: `${keys}/${encodeURIComponent(keyId)}` };
    return (await this.line.json<{ key: KeyView }>(call)).key;
  }
}
