import type { KeyView } from '../../access/view-key.js';
import { ConnectionLostError, TurnpikeError } from '../../client/turnpike-client.js';
import { TypedError } from '../../errors/typed-error.js';
import { describeCreated, describeExpiry } from '../render/describe-key.js';
import { explainFailure } from '../render/explain-failure.js';
import { NoServerError } from '../server/locate-server.js';
import { openKeyAdmin } from '../data/key-admin.js';
import type { KeyAdmin } from '../data/open-keys-in-database.js';
import { parseKeysArguments, type KeysArguments } from '../arguments/parse-keys-arguments.js';
import { UsageError } from '../arguments/usage-error.js';
import { explainStartFailure } from '../render/explain-start-failure.js';

type Environment = Record<string, string | undefined>;

/**
 * `turnpike keys`: creates, lists and revokes API keys.
 *
 * @returns the exit code: 0; 1 when it failed; 2 for a wrong call.
 */
export async function keysCommand(
  args: readonly string[],
  environment: Environment,
): Promise<number> {
  let admin: KeyAdmin | undefined;
  try {
    const wanted = parseKeysArguments(args);
    const { url, action } = wanted;
    admin = await openKeyAdmin(environment, { url, isNew: action === 'create' });
    console.log(await act(admin, wanted));
    return 0;
  } catch (error) {
    console.error(explain(error, environment));
    return error instanceof UsageError ? 2 : 1;
  } finally {
    await admin?.close();
  }
}

async function act(admin: KeyAdmin, wanted: KeysArguments): Promise<string> {
  switch (wanted.action) {
    case 'create': {
      const created = await admin.create(wanted.body);
      return wanted.json ? JSON.stringify(created) : describeCreated(created);
    }
    case 'list': {
      const keys = await admin.list();
      return wanted.json ? JSON.stringify({ keys }) : describeKeys(keys);
    }
    case 'revoke': {
      const key = await admin.revoke(wanted.id);
      if (wanted.json) return JSON.stringify({ key });
      return `Key ${key.id} of ${key.principal} is revoked. Servers that run know it within a second; streams that are open stay open.`;
    }
  }
}

function describeKeys(keys: readonly KeyView[]): string {
  if (keys.length === 0)
    return 'There are no keys. Make one: turnpike keys create --principal NAME';
  return keys
    .map((key) => {
      const { id, principal, name, status, scopes, lastUsedAt } = key;
      const used = lastUsedAt === null ? 'never used' : `used ${lastUsedAt}`;
      const label = name === '' ? '' : `  ${JSON.stringify(name)}`;
      const roots = key.projectRoots.length === 0 ? '' : `  in ${key.projectRoots.join(', ')}`;
      return `${id}  ${status.padEnd(7)}  ${principal}  ${scopes.join(',')}${describeExpiry(key)}  ${used}${label}${roots}`;
    })
    .join('\n');
}

function explain(error: unknown, environment: Environment): string {
  const own = [UsageError, NoServerError, TypedError];
  if (own.some((type) => error instanceof type)) return (error as Error).message;
  if (error instanceof TurnpikeError || error instanceof ConnectionLostError) {
    return explainFailure(error);
  }
  return explainStartFailure(error, environment);
}
