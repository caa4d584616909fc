import type { KeyDto } from '../../access/key.dto.js';
import { ConnectionLostError, TurnpikeError } from '../../client/turnpike-client.js';
import { TypedError } from '../../errors/typed-error.js';
import { describeCreated, describeExpiry } from '../render/describe-start.js';
import { explainFailure } from '../render/explain-failure.js';
import { NoServerError, clientOf } from '../server/find-server.js';
import type { KeyAdmin } from '../data/open-keys-in-database.js';
import { UsageError, parseCall, serverOptions } from '../arguments.js';
import { explainStartFailure } from '../render/explain-start-failure.js';
import { compact } from '../../platform/compact.js';
import { locateStore } from '../data/run-on-data.js';

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

function describeKeys(keys: readonly KeyDto[]): string {
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

export type KeysArguments = { json: boolean; url: string | undefined } & (
  | { action: 'create'; body: Record<string, unknown> }
  | { action: 'list' }
  | { action: 'revoke'; id: string }
);

const config = {
  allowPositionals: true,
  options: {
    principal: { type: 'string' },
    name: { type: 'string' },
    scopes: { type: 'string' },
    expires: { type: 'string' },
    'project-root': { type: 'string', multiple: true },
    'requests-per-minute': { type: 'string' },
    'concurrent-turns': { type: 'string' },
    'tokens-per-day': { type: 'string' },
    'usd-per-day': { type: 'string' },
    json: { type: 'boolean', default: false },
    ...serverOptions,
  },
} as const;

const limits = {
  'requests-per-minute': 'requestsPerMinute',
  'concurrent-turns': 'concurrentTurns',
  'tokens-per-day': 'tokensPerDay',
  'usd-per-day': 'usdPerDay',
} as const;

type Values = ReturnType<typeof parseCall<typeof config>>['values'];

/** Parses the arguments after `turnpike keys`. The route validates the values. @throws UsageError. */
export function parseKeysArguments(args: readonly string[]): KeysArguments {
  const { values, positionals } = parseCall(args, config);
  const { json, url } = values;
  const [action, id, ...more] = positionals;
  if (action === 'list' && id === undefined) return { action, json, url };
  if (action === 'revoke' && id !== undefined && more.length === 0)
    return { action, id, json, url };
  if (action !== 'create' || id !== undefined) {
    throw new UsageError(
      'turnpike keys create --principal NAME, turnpike keys list, or turnpike keys revoke ID',
    );
  }
  if (values.principal === undefined) {
    throw new UsageError('A key needs a principal: turnpike keys create --principal NAME');
  }
  return { action, json, url, body: toBody(values) };
}

function toBody(values: Values): Record<string, unknown> {
  const { principal, name, scopes, expires, 'project-root': projectRoots } = values;
  const given = Object.entries(limits).flatMap(([option, field]) => {
    const value = values[option as keyof typeof limits];
    return value === undefined ? [] : [[field, toNumber(option, value)] as const];
  });
  return compact({
    principal,
    name,
    scopes: scopes?.split(',').map((scope) => scope.trim()),
    expiresIn: expires,
    projectRoots,
    limits: given.length === 0 ? undefined : Object.fromEntries(given),
  });
}

function toNumber(option: string, value: string): number {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  throw new UsageError(`--${option} is a number, not ${value}`);
}

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
  const { openKeysInDatabase } = await import('../data/open-keys-in-database.js');
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
