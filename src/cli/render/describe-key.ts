import type { CreatedKey } from '../../access/key-service.js';
import type { KeyView } from '../../access/view-key.js';

/** The text that shows a new key, this once. */
export function describeCreated({ key, secret }: CreatedKey): string {
  return [
    secret,
    '',
    `Key ${key.id} of ${key.principal}, for ${key.scopes.join(', ')}${describeExpiry(key)}. It is not shown again.`,
    'Send it with every request: Authorization: Bearer tpk_…',
  ].join('\n');
}

export function describeExpiry({ expiresAt }: KeyView): string {
  return expiresAt === null ? '' : `, until ${expiresAt}`;
}
