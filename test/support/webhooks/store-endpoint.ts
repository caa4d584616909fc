import { newId } from '../../../src/platform/ids.js';
import type { Database } from '../../../src/storage/connection.js';
import { webhookEndpoints } from '../../../src/storage/automation-schema.js';

export type EndpointInsert = typeof webhookEndpoints.$inferInsert;

/** The bytes 0 to 31. */
export const someSecret = `whsec_${Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64')}`;

/** Stores an endpoint of the principal `local` for all events. @returns its id */
export async function storeEndpoint(
  db: Database,
  more: Partial<EndpointInsert> = {},
): Promise<string> {
  const id = newId('hook');
  await db.insert(webhookEndpoints).values({
    id,
    principalId: 'local',
    url: 'https://example.com/hooks',
    description: '',
    enabled: true,
    secret: someSecret,
    createdAt: new Date(0),
    ...more,
  });
  return id;
}
