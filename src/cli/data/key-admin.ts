import { TurnpikeError } from '../../client/turnpike-client.js';
import { clientOf } from '../server/find-server.js';
import { locateStore } from './locate-store.js';
import type { KeyAdmin } from './open-keys-in-database.js';

export interface KeyAdminOptions {
  /** The value of `--url`. */
  url?: string | undefined;
  /** The command creates a key: a missing data folder is created for it. */
  isNew: boolean;
}

/**
 * Opens the keys where `locateStore` finds them. A data folder is created for a new key alone.
 *
 * @throws UsageError, ConfigError, DataFolderBusyError, SchemaError, UnreachableError; NoServerError
 *   where there is neither server nor folder.
 */
export async function openKeyAdmin(
  environment: Record<string, string | undefined>,
  { url, isNew }: KeyAdminOptions,
): Promise<KeyAdmin> {
  const found = await locateStore(environment, { url, mayCreate: isNew, needsRedis: false });
  if (found.type === 'server') return atServer(found.url, found.key);
  // Loaded when needed alone: the code of the database takes longer to load than a server to answer.
  const { openKeysInDatabase } = await import('./open-keys-in-database.js');
  return openKeysInDatabase(found.config);
}

function atServer(url: string, key: string | undefined): KeyAdmin {
  const { keys } = clientOf({ url, key });
  return {
    create: (body) => keys.create(body).catch(advise),
    list: () => keys.list().catch(advise),
    revoke: (id) => keys.revoke(id).catch(advise),
    close: async () => undefined,
  };
}

/** Adds what to do to a refusal of the key. */
function advise(error: unknown): never {
  const isAboutKey = error instanceof TurnpikeError && [401, 403].includes(error.status);
  if (!isAboutKey) throw error;
  const { code, status, retryable, retryAfterMs, requestId, details } = error;
  const message = `${error.message}\nThe server that runs manages its keys: set TURNPIKE_API_KEY to a key with the scope admin, or stop the server and call this again.`;
  const advice = { retryable, retryAfterMs, requestId };
  throw new TurnpikeError(code, { status, ...advice, details, message });
}
