import type { KeyDto } from '../../access/keys/key.dto.js';
import { LOCAL_USER } from '../../access/principal.js';
import { ConnectionLostError, TurnpikeError } from '../../client/turnpike-client.js';
import { TypedError } from '../../errors/typed-error.js';
import { describeCreated, describeExpiry } from '../render/describe-start.js';
import { explainFailure, exitCodeOf } from '../render/explain-failure.js';
import { NoServerError, clientOf } from '../server/find-server.js';
import type { KeyAdmin } from '../data/open-keys-in-database.js';
import {
  UsageError,
  collect,
  splitList,
  subcommand,
  type Cli,
  type CliCommand,
} from '../command.js';
import { commandName } from '../../platform/process/command-name.js';
import { explainStartFailure } from '../render/explain-start-failure.js';
import { printList, type Table } from '../render/table.js';
import { compact } from '../../platform/compact.js';
import { LoginError } from '../login/login-error.js';
import type { ServerAccess } from '../login/server-access.js';
import { minute } from '../terminal/screen.js';
import { locateStore } from '../data/run-on-data.js';

type Environment = Cli['environment'];

/** The words for somebody who worked without a key, once the first one is there. */
const withoutKey = `It is the first key: requests without one are refused from now on. Sessions that were made without a key belong to ${LOCAL_USER}; a key with --principal ${LOCAL_USER} has them.`;

/** `turnpike keys`: creates, lists and revokes API keys. The route checks the values. */
export function keysCommand(command: CliCommand, cli: Cli): void {
  createCommand(command, cli);
  subcommand(command, 'list', 'list all keys').action(({ json, url }) =>
    runOnKeys(cli, { url, isNew: false }, async (admin) => {
      const none = `There are no keys. Make one: ${commandName()} keys create --principal NAME`;
      printList(cli, { all: await admin.list(), json }, { show: tableOfKeys, none });
    }),
  );
  setCommand(command, cli);
  subcommand(command, 'revoke <ID>', 'revoke a key').action((id, { json, url }) =>
    runOnKeys(cli, { url, isNew: false }, async (admin) => {
      const key = await admin.revoke(id);
      cli.out(
        json
          ? `${JSON.stringify({ key })}\n`
          : `Key ${key.id} of ${key.principal} is revoked. Servers that run know it within a second; streams that are open stay open.\n`,
      );
    }),
  );
  rotateMasterCommand(command, cli);
}

function createCommand(command: CliCommand, cli: Cli): void {
  subcommand(command, 'create', 'make a key and print it; it is not shown again')
    .requiredOption('--principal <NAME>', 'the owner of the key')
    .option('--name <TEXT>', 'what it is for')
    .option(
      '--scopes <A,B>',
      'out of turns, approvals, admin, texts, metrics, tokens; default: all for the first key, else turns and approvals',
      splitList,
    )
    .option('--expires <TIME>', '30d, 12h or 90m; default: the key does not expire')
    .option(
      '--project-root <DIR>',
      'also let the sessions of this key work in DIR; may be repeated',
      collect,
    )
    .option(
      '--mints <PRINCIPAL>',
      'also make page tokens for PRINCIPAL, or with app:* for all whose id begins with app:',
    )
    .option(
      '--approves <A,B>',
      'also decide about calls of others, in these roles of permission rules',
      splitList,
    )
    .option(
      '--requests-per-minute <N>',
      'at most N requests a minute',
      limitOf('requests-per-minute'),
    )
    .option('--concurrent-turns <N>', 'at most N turns at once', limitOf('concurrent-turns'))
    .option('--tokens-per-day <N>', 'at most N uncached tokens a day', limitOf('tokens-per-day'))
    .option('--usd-per-day <X>', 'at most X US$ a day', limitOf('usd-per-day'))
    .action(
      ({ json, url, principal, name, scopes, expires, projectRoot, mints, approves, ...given }) => {
        const limits = compact(given);
        const body = compact({
          principal,
          name,
          scopes,
          expiresIn: expires,
          projectRoots: projectRoot,
          mints,
          approves,
          limits: Object.keys(limits).length === 0 ? undefined : limits,
        });
        return runOnKeys(cli, { url, isNew: true }, async (admin) => {
          const created = await admin.create(body);
          // The key alone: `KEY=$(turnpike keys create …)` has it.
          cli.out(`${json ? JSON.stringify(created) : created.secret}\n`);
          if (json) return;
          cli.err(`${describeCreated(created)}\n`);
          const isFirst = scopes === undefined && created.key.scopes.includes('admin');
          if (isFirst && principal !== LOCAL_USER) cli.err(`${withoutKey}\n`);
        });
      },
    );
}

function setCommand(command: CliCommand, cli: Cli): void {
  subcommand(
    command,
    'set <ID>',
    'change the limits and the name of a key, from its next request on',
  )
    .option('--name <TEXT>', 'what it is for')
    .option(
      '--requests-per-minute <N>',
      'at most N requests a minute, or the word default for the limit of the server; so with each limit',
      limitOrDefault('requests-per-minute'),
    )
    .option('--concurrent-turns <N>', 'at most N turns at once', limitOrDefault('concurrent-turns'))
    .option(
      '--tokens-per-day <N>',
      'at most N uncached tokens a day',
      limitOrDefault('tokens-per-day'),
    )
    .option('--usd-per-day <X>', 'at most X US$ a day', limitOrDefault('usd-per-day'))
    .action((id, { json, url, name, ...limits }) => {
      if (name === undefined && Object.keys(limits).length === 0) {
        throw new UsageError('Say what to change: --usd-per-day 5, or --usd-per-day default.');
      }
      const body = compact({
        name,
        limits: Object.keys(limits).length === 0 ? undefined : changesOf(limits),
      });
      return runOnKeys(cli, { url, isNew: false }, async (admin) => {
        const key = await admin.change(id, body);
        printList(cli, { all: [key], json }, { show: tableOfKeys });
      });
    });
}

function rotateMasterCommand(command: CliCommand, cli: Cli): void {
  subcommand(
    command,
    'rotate-master',
    'wrap all data keys with the first key of TURNPIKE_MASTER_KEY_FILE, and seal secrets in plain text',
  ).action(({ json, url }) =>
    runOnKeys(cli, { url, isNew: false }, async (admin) => {
      const rotated = await admin.rotateMaster();
      const { masterKey, wrapped, sealed } = rotated;
      cli.out(
        json
          ? `${JSON.stringify(rotated)}\n`
          : `The master key ${masterKey} wraps all data keys: ${wrapped} of them since now. ${sealed} secrets in plain text were sealed.\n`,
      );
    }),
  );
}

/** The parser makes an empty text of null: the word stays until `changesOf`. */
function limitOrDefault(option: string): (text: string) => number | 'default' {
  const parse = limitOf(option);
  return (text) => (text === 'default' ? text : parse(text));
}

/** @returns null for `default`, which is the server's limit. */
function changesOf<Limits extends Record<string, unknown>>(limits: Limits) {
  const changes = Object.entries(limits).map(([name, value]) => [
    name,
    value === 'default' ? null : value,
  ]);
  return Object.fromEntries(changes) as {
    [Name in keyof Limits]: Exclude<Limits[Name], 'default'> | null;
  };
}

function limitOf(option: string): (text: string) => number {
  return (text) => {
    if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
    throw new UsageError(`--${option} is a number, not ${text}`);
  };
}

async function runOnKeys(
  cli: Cli,
  options: KeyAdminOptions,
  act: (admin: KeyAdmin) => Promise<void>,
): Promise<void> {
  let admin: KeyAdmin | undefined;
  try {
    admin = await openKeyAdmin(cli.environment, options);
    await act(admin);
  } catch (error) {
    cli.err(`${explain(error, cli.environment)}\n`);
    cli.exitCode = exitCodeOf(error);
  } finally {
    await admin?.close();
  }
}

function tableOfKeys(keys: readonly KeyDto[]): Table {
  return {
    columns: [
      'KEY',
      'STATE',
      'OWNER',
      'SCOPES',
      'APPROVES',
      'USED (UTC)',
      'NAME',
      'LIMITS',
      'FOLDERS',
    ],
    rows: keys.map((key) => [
      key.id,
      key.status,
      key.principal,
      `${key.scopes.join(',')}${describeExpiry(key)}`,
      key.approves.join(','),
      key.lastUsedAt === null ? 'never' : minute(key.lastUsedAt),
      key.name === '' ? '' : JSON.stringify(key.name),
      describeLimits(key.limits),
      key.projectRoots.join(', '),
    ]),
  };
}

function describeLimits({
  requestsPerMinute,
  concurrentTurns,
  tokensPerDay,
  usdPerDay,
}: KeyDto['limits']): string {
  const told = (value: number | undefined, words: string): string[] =>
    value === undefined ? [] : [value === 0 ? `any number of ${words}` : `${value} ${words}`];
  return [
    ...told(usdPerDay, 'US$/day'),
    ...told(tokensPerDay, 'tokens/day'),
    ...told(requestsPerMinute, 'requests/minute'),
    ...told(concurrentTurns, 'turns at once'),
  ].join(', ');
}

function explain(error: unknown, environment: Environment): string {
  const own = [UsageError, NoServerError, LoginError, TypedError];
  if (own.some((type) => error instanceof type)) return (error as Error).message;
  if (error instanceof TurnpikeError || error instanceof ConnectionLostError) {
    return explainFailure(error);
  }
  return explainStartFailure(error, environment);
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
  if (found.type === 'server') return atServer(found);
  // Loaded when needed alone: the code of the database takes longer to load than a server to answer.
  const { openKeysInDatabase } = await import('../data/open-keys-in-database.js');
  return openKeysInDatabase(found.config);
}

function atServer(server: ServerAccess): KeyAdmin {
  const { keys } = clientOf(server);
  return {
    create: (body) => keys.create(body).catch(advise),
    list: () => keys.list().catch(advise),
    change: (id, body) => keys.change(id, body).catch(advise),
    revoke: (id) => keys.revoke(id).catch(advise),
    rotateMaster: () => keys.rotateMaster().catch(advise),
    close: async () => undefined,
  };
}

/** Adds what to do to a refusal of the key. */
function advise(error: unknown): never {
  const isAboutKey = error instanceof TurnpikeError && [401, 403].includes(error.status);
  if (!isAboutKey) throw error;
  const { code, status, retryable, retryAfterMs, requestId, details } = error;
  const message = `${error.message}\nThe server that runs manages its keys: log in as somebody with the scope admin (${commandName()} login), set TURNPIKE_API_KEY to a key that has it, or stop the server and call this again.`;
  const advice = { retryable, retryAfterMs, requestId };
  throw new TurnpikeError(code, { status, ...advice, details, message });
}
