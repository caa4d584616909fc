import type { MintedToken, WantedToken } from '../server-types.js';
import type { Transport } from '../transport/transport.js';

/** Page tokens: `client.tokens`, in a backend, with a key that has the scope `tokens`. */
export class TokenCalls {
  constructor(private readonly transport: Transport) {}

  /** A token for a page of one of your users, by default for 15 minutes. */
  create(wanted: Partial<WantedToken> = {}): Promise<MintedToken> {
    return this.transport.json({ method: 'POST', path: '/api/harness/tokens', body: wanted });
  }
}
