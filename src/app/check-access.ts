import { commandNameOfServer } from '../platform/process/command-name.js';
import { lookup } from 'node:dns/promises';
import type { KeyService } from '../access/keys/key-service.js';
import { type CreatedKeyDto, NewKeyDto } from '../access/keys/key.dto.js';
import type { Authenticator } from '../access/authenticator.js';
import type { CustomAuthenticators } from '../access/custom-authenticators.js';
import type { KeyStore } from '../access/keys/key-store.js';
import { LOCAL_USER } from '../access/principal.js';
import { ConfigError, type Config } from '../config/config.js';
import { takeRequest } from '../http/request.pipe.js';
import { isLoopback } from '../platform/net/addresses.js';
import type { SecretVault } from '../access/secrets/secret-vault.js';
import { NoApproversError } from '../access/access-errors.js';
import type { KnownApprovers } from '../access/people/known-approvers.js';
import type { PersonaLibrary } from '../agents/persona-library.js';
import type { PermissionRules } from '../storage/shapes/stored-options.js';
import type { Logger } from '../platform/logger.js';

/** The actor in the audit log. */
const AUDIT_ACTOR = { id: 'first-start' };

export interface RequireKeyDeps {
  store: Pick<KeyStore, 'census'>;
  authenticator: Pick<Authenticator, 'hasIssuers'>;
  keys: Pick<KeyService, 'createFirst'>;
  /** Shows the first key to the person who started the server; undefined: there is nobody, and no key is made. */
  showFirstKey: ((created: CreatedKeyDto) => void) | undefined;
}

/** The fault of a host that has no address: whether others reach it is then no question. */
async function findHostFault(host: string): Promise<string | undefined> {
  try {
    await lookup(host);
    return undefined;
  } catch {
    return `TURNPIKE_HOST is "${host}", a name that has no address here. Use 127.0.0.1, 0.0.0.0 for all addresses of this machine, or one of them`;
  }
}

/**
 * Requires a host that has an address, and a way in for a server that other machines reach. Makes the first key where the
 * config says so, for the principal who has what was made before there were keys.
 *
 * @throws ConfigError.
 */
export async function requireKey(
  config: Pick<Config, 'host' | 'allowKeyless' | 'firstKey'>,
  { store, keys, authenticator, showFirstKey }: RequireKeyDeps,
): Promise<void> {
  const hostFault = await findHostFault(config.host);
  if (hostFault !== undefined) throw new ConfigError([hostFault]);
  const findFault = async (): Promise<string | undefined> => {
    const { hasActive } = await store.census();
    return findBindingFault({ ...config, hasWayIn: hasActive || authenticator.hasIssuers });
  };
  if ((await findFault()) === undefined) return;
  if (config.firstKey === 'print' && showFirstKey !== undefined) {
    const body = { principal: LOCAL_USER, name: 'made by the first start' };
    await keys.createFirst(await takeRequest(NewKeyDto, body), AUDIT_ACTOR, showFirstKey);
  }
  // A different process may have made the first key meanwhile; keys that were all revoked are no reason for a new one.
  const fault = await findFault();
  if (fault !== undefined) throw new ConfigError([fault]);
}

/**
 * Finds a fault in the address that the server is to listen on: without a valid key, anybody who
 * reaches the address may run tools. Pure.
 *
 * @returns the fault and its remedy; undefined: none.
 */
export function findBindingFault(asked: {
  host: string;
  allowKeyless: boolean;
  /** Whether a key is valid, or something else than keys is taken. */
  hasWayIn: boolean;
}): string | undefined {
  const { host, allowKeyless, hasWayIn } = asked;
  if (allowKeyless || hasWayIn || isLoopback(host)) return undefined;
  return [
    `TURNPIKE_HOST is "${host}", which other machines reach, and there is no API key that is taken. Do one of these:`,
    `make a key: ${commandNameOfServer()} keys create --principal NAME --scopes turns,approvals,admin`,
    'let this start make and print one: TURNPIKE_FIRST_KEY=print',
    'take tokens of your identity provider: TURNPIKE_AUTH_FILE',
    'listen on 127.0.0.1, for this machine alone',
    'set TURNPIKE_ALLOW_KEYLESS=true, where a gateway decides who may call',
  ].join('\n      - ');
}

/**
 * Requires that a worker knows the issuers that the API takes tokens of. A worker that knows none would take the server
 * for an open one, and end the grants of schedules.
 *
 * @param noted names of the issuers that the API noted at its last start.
 * @param known names of the issuers of this process.
 * @throws ConfigError.
 */
export function requireIssuersOfApi(noted: readonly string[], known: readonly string[]): void {
  const missing = noted.filter((name) => !known.includes(name));
  if (missing.length === 0) return;
  throw new ConfigError([
    `the API takes tokens of the issuers ${missing.join(', ')}, which this worker does not know. Give the worker the same file in TURNPIKE_AUTH_FILE. If they were removed, start the API without them first`,
  ]);
}

/**
 * Requires that no key makes page tokens for people of an identity provider or of an extension: what both have would be
 * one's own.
 *
 * @throws ConfigError.
 */
export async function requireOwnPrefixes(
  store: Pick<KeyStore, 'minting'>,
  others: Pick<CustomAuthenticators, 'vouchFor'>,
): Promise<void> {
  const found = (await store.minting()).filter(({ mints }) => others.vouchFor(mints));
  if (found.length === 0) return;
  throw new ConfigError(
    found.map(
      ({ id, mints }) =>
        `the key ${id} makes page tokens for ${mints}, whom an issuer of TURNPIKE_AUTH_FILE, or an extension, knows by that name. Give the issuer another name, or revoke the key: ${commandNameOfServer()} keys revoke ${id}`,
    ),
  );
}

/**
 * Requires that somebody can decide by each rule of the deployment's files that says who does.
 *
 * @throws NoApproversError.
 */
export async function requireApprovers(
  known: Pick<KnownApprovers, 'findMissing'>,
  { server, agents }: { server: PermissionRules; agents: Pick<PersonaLibrary, 'personas'> },
): Promise<void> {
  const personas = await agents.personas();
  const missing = await known.findMissing([
    server,
    ...personas.map(({ permissions }) => permissions),
  ]);
  if (missing.length > 0) throw new NoApproversError(missing);
}

/**
 * Checks that this process can open the secrets of the database, and warns of secrets that a database over the network
 * has as they are.
 *
 * @throws MasterKeysRefusedError.
 */
export async function checkSecrets(
  vault: SecretVault,
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
  logger: Logger,
): Promise<void> {
  await vault.checkMasterKeys();
  if (vault.seals || !isOverNetwork(databaseUrl)) return;
  const column = await vault.findPlain();
  if (column !== undefined) {
    logger.warn(
      { column },
      'the database has secrets of webhooks or MCP servers in plain text; set TURNPIKE_MASTER_KEY_FILE to seal them',
    );
  }
}

/** Whether the database is reached over a network: it is not embedded, at a socket, or at an address of loopback. */
function isOverNetwork(databaseUrl: string | undefined): boolean {
  if (databaseUrl === undefined || !URL.canParse(databaseUrl)) return false;
  const { hostname, searchParams } = new URL(databaseUrl);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  return host !== '' && !host.startsWith('/') && !isLoopback(host);
}
