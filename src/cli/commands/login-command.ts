import { commandName } from '../../platform/process/command-name.js';
import type { LoginDto, LoginIssuerDto } from '../../access/caller.dto.js';
import { TurnpikeClient, type CallerView } from '../../client/turnpike-client.js';
import type { DeviceCode } from '../login/device-log-in.js';
import { LoginError } from '../login/login-error.js';
import { loginFileOf, readLogins, storeLogin, withLock, type Logins } from '../login/login-file.js';
import { keyOf, nameOfServer } from '../login/server-access.js';
import { clientOf, locateServer, NoServerError } from '../server/find-server.js';
import { runOnServer } from '../server/run-on-server.js';
import { jsonOption, urlOption, UsageError, type Cli, type CliCommand } from '../command.js';
import { compact } from '../../platform/compact.js';
import { oneLine } from '../terminal/screen.js';
import { confirm } from '../terminal/terminal-input.js';

/** `turnpike login`: the code and its address are printed to standard error; nothing is opened. */
export function loginCommand(command: CliCommand, cli: Cli): void {
  command
    .option('--issuer <NAME>', 'the identity provider, where the server has several')
    .option(
      '--trust-server',
      'log in also where another server uses the same identity provider: this one could act as you there',
    )
    .addOption(jsonOption)
    .addOption(urlOption)
    .action(async ({ issuer: wanted, json = false, url: named, trustServer = false }) => {
      const url = await locate(cli, named);
      const file = loginFileOf(cli.environment);
      // A file that cannot be used is found before the user has typed a code.
      const known = await readLogins(file);
      const open = new TurnpikeClient({ url });
      const { issuers } = await open.request<LoginDto>({ path: '/api/harness/login' });
      const issuer = choose(issuers, wanted, url);
      const server = nameOfServer(url);
      if (!trustServer) await refuseOtherServer(issuer, server, known);
      const { logInByDevice } = await import('../login/device-log-in.js');
      const about = { server, issuer: issuer.issuerUrl };
      const tokens = await logInByDevice(issuer, {
        show: (code) =>
          json
            ? cli.out(`${JSON.stringify({ ...about, ...code })}\n`)
            : cli.err(describeCode(code, about)),
        noteAway: () => cli.err(`${issuer.name} does not answer. Trying again …\n`),
      });
      const caller = await new TurnpikeClient({ url, key: tokens.accessToken }).me();
      const { name, issuerUrl, clientId, resource } = issuer;
      const place = { issuer: name, issuerUrl, clientId, ...compact({ resource }) };
      await withLock(file, () => storeLogin(file, server, { ...place, ...tokens }));
      if (json) cli.out(`${JSON.stringify({ server, ...caller })}\n`);
      else cli.out(`You are ${oneLine(caller.principal, 200)} at ${server}.\n`);
      if (keyOf(cli.environment) !== undefined) {
        cli.err('TURNPIKE_API_KEY is set: commands use that key, and not the log-in.\n');
      }
    });
}

/** `turnpike logout`: the provider is told, where it has a place for that. */
export function logoutCommand(command: CliCommand, cli: Cli): void {
  command.addOption(urlOption).action(async ({ url: named }) => {
    const server = nameOfServer(await locate(cli, named, { mayBeAway: true }));
    const file = loginFileOf(cli.environment);
    const login = await withLock(file, async () => {
      const { [server]: found } = await readLogins(file);
      if (found !== undefined) await storeLogin(file, server, undefined);
      return found;
    });
    if (login === undefined) return cli.out(`There is no log-in at ${server}.\n`);
    const { revokeTokens } = await import('../login/device-log-in.js');
    try {
      const isTold = await revokeTokens(login);
      const note = isTold
        ? ''
        : ` ${login.issuer} takes no revocations: its session there goes on.`;
      cli.out(`You are logged out of ${server}.${note}\n`);
    } catch (error) {
      if (!(error instanceof LoginError)) throw error;
      cli.out(`You are logged out of ${server}.\n`);
      cli.err(
        `${login.issuer} could not be told, and its session there goes on. ${error.message}\n`,
      );
    }
  });
}

/** `turnpike whoami`. */
export function whoamiCommand(command: CliCommand, cli: Cli): void {
  command
    .addOption(jsonOption)
    .addOption(urlOption)
    .action(({ json = false, url }) =>
      runOnServer(cli, { url }, async (server) => {
        const caller = await clientOf(server).me();
        const name = nameOfServer(server.url);
        const by = server.token === undefined ? describeCredential(caller) : describeLogin(caller);
        cli.out(
          json
            ? `${JSON.stringify({ server: name, ...caller })}\n`
            : describeCaller(caller, { server: name, by }),
        );
        return 0;
      }),
    );
}

/** @param mayBeAway whether a server may be named that does not run. */
async function locate(
  cli: Cli,
  named: string | undefined,
  { mayBeAway = false } = {},
): Promise<string> {
  const search = await locateServer(cli.environment, named);
  if (search.url !== undefined) return search.url;
  if (!mayBeAway) throw new NoServerError(search);
  throw new UsageError('Name the server to log out of: --url URL, or TURNPIKE_URL.');
}

/** @throws LoginError NO_LOGIN; UsageError for a name that is none of the issuers'. */
function choose(
  issuers: readonly LoginIssuerDto[],
  wanted: string | undefined,
  url: string,
): LoginIssuerDto {
  const [first, ...others] = issuers;
  if (first === undefined) {
    throw new LoginError(
      'NO_LOGIN',
      `${url} has no log-in on the command line. Set TURNPIKE_API_KEY, or add a block cli to an issuer in TURNPIKE_AUTH_FILE`,
    );
  }
  const found =
    wanted === undefined && others.length === 0
      ? first
      : issuers.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  const names = issuers.map(({ name }) => oneLine(name, 40)).join(', ');
  throw new UsageError(`--issuer must be one of ${names}.`);
}

/**
 * A server could name the provider and client of another one, and would have a token that is good there.
 *
 * @throws LoginError OTHER_SERVER where the user does not say that the server may have it.
 */
async function refuseOtherServer(
  { issuerUrl, clientId }: LoginIssuerDto,
  server: string,
  known: Logins,
): Promise<void> {
  const elsewhere = Object.entries(known)
    .filter(
      ([of, login]) =>
        of !== server && login.issuerUrl === issuerUrl && login.clientId === clientId,
    )
    .map(([of]) => of);
  if (elsewhere.length === 0 || server in known) return;
  const fact = `${server} asks for a log-in at ${oneLine(issuerUrl, 500)} as ${elsewhere.join(', ')} does: it could act as you there`;
  if (process.stdin.isTTY && process.stderr.isTTY) {
    if (await confirm(`${fact}.\nDo you trust this server with it? [y/N] `)) return;
    throw new LoginError('OTHER_SERVER', `${server} was not trusted, and nobody is logged in`);
  }
  throw new LoginError(
    'OTHER_SERVER',
    `${fact}. If you trust it with that, call the command with --trust-server`,
  );
}

/** The provider's texts are foreign ones. */
function describeCode(
  { userCode, url, completeUrl, expiresInS }: DeviceCode,
  { server, issuer }: { server: string; issuer: string },
): string {
  const minutes = Math.max(1, Math.round(expiresInS / 60));
  const complete =
    // A terminal opens what it shows as a link.
    completeUrl === undefined || !/^https?:\/\//i.test(completeUrl)
      ? ''
      : `Or open the address that has it: ${oneLine(completeUrl, 500)}\n`;
  return `Log in at ${oneLine(issuer, 500)} for ${server}.\nOpen ${oneLine(url, 500)} in a browser, and type the code ${oneLine(userCode, 60)}\n${complete}Type it only if you called ${commandName()} login yourself. Waiting for at most ${minutes} min …\n`;
}

function describeCaller(
  { principal, scopes, agents, limits, expiresAt }: CallerView,
  { server, by }: { server: string; by: string },
): string {
  const limited = Object.entries(limits).filter(([, limit]) => limit > 0);
  const lines: [string, string][] = [
    ['Server', server],
    ['Principal', principal],
    ['By', by],
    ['Scopes', scopes.join(', ') || 'none'],
    ['Agents', agents === null ? 'all' : agents.join(', ')],
    ['Limits', limited.map(([name, limit]) => `${name} ${limit}`).join(', ') || 'none'],
    ['Ends', expiresAt ?? 'not by itself'],
  ];
  return lines.map(([name, text]) => `${`${name}:`.padEnd(11)}${oneLine(text, 400)}\n`).join('');
}

function describeLogin({ credential: { issuer = '', groups = [] } }: CallerView): string {
  const of = groups.length === 0 ? 'without groups' : `groups: ${groups.join(', ')}`;
  return `log-in at ${issuer} (${of}), which renews itself`;
}

function describeCredential({ credential }: CallerView): string {
  const { kind, keyId, issuer, authenticator } = credential;
  if (kind === 'none') return 'nothing: the server is open';
  if (kind === 'key') return `API key ${keyId ?? ''}`;
  return `${kind} of ${issuer ?? authenticator ?? keyId ?? 'the server'}`;
}
