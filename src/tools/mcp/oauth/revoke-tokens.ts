import { selectClientAuthMethod, type FetchLike } from '@modelcontextprotocol/client';
import type { IssuerMetadata } from './discovery.js';
import type { LoginSecret } from './login-secret.js';

/**
 * Asks an authorization server to end tokens (RFC 7009): the refresh token first, with which most end the others.
 *
 * @returns whether it did; false where it offers no revocation, or refuses one.
 */
export async function revokeTokens(
  { accessToken, refreshToken, client }: LoginSecret,
  metadata: IssuerMetadata,
  fetchFn: FetchLike,
): Promise<boolean> {
  const endpoint = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
  if (typeof endpoint !== 'string') return false;
  const known = metadata.token_endpoint_auth_methods_supported ?? [];
  const { client_id: id, client_secret: secret = '' } = client;
  const isBasic = selectClientAuthMethod(client, known) === 'client_secret_basic';
  let isRevoked = true;
  for (const [hint, token] of [
    ['refresh_token', refreshToken],
    ['access_token', accessToken],
  ] as const) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, token_type_hint: hint });
    const headers = new Headers({ 'Content-Type': 'application/x-www-form-urlencoded' });
    if (isBasic) {
      headers.set('Authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`);
    } else {
      body.set('client_id', id);
      if (secret !== '') body.set('client_secret', secret);
    }
    const response = await fetchFn(endpoint, { method: 'POST', headers, body });
    isRevoked &&= response.ok;
    // The body of an answer says nothing.
    await response.body?.cancel();
  }
  return isRevoked;
}
