import { commandName } from '../../platform/process/command-name.js';
import type {
  EndedMcpLogin,
  ForgottenMcpClients,
  McpLoginList,
  TurnpikeClient,
} from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { subcommand, UsageError, type Cli, type CliCommand } from '../command.js';
import { openLoopbackPage } from '../login/loopback-answer.js';
import type { Table } from '../render/table.js';
import { listOnServer, runOnServer } from '../server/run-on-server.js';
import { clientOf } from '../server/find-server.js';
import { minute, oneLine } from '../terminal/screen.js';

/** Time in which a log-in is to be finished, in ms. */
const LOGIN_MS = 600_000;

/** `turnpike mcp`: log-ins at MCP servers. The page of the authorization server is opened by the user. */
export function mcpCommand(command: CliCommand, cli: Cli): void {
  subcommand(command, 'list', 'list your log-ins, and servers that take some').action((options) =>
    listOnServer(cli, options, {
      ask: async ({ mcpLogins }) => rowsOf(await mcpLogins.list()),
      show: tableOfRows,
      none: 'You are logged in at no MCP server, and none of the configuration takes a log-in.',
    }),
  );
  subcommand(command, 'login <SERVER>', 'log in at an MCP server, in a browser on this machine')
    .option('--agent <NAME>', 'the agent that has the server; needed for one that its file defines')
    .action((server, { agent, url, json }) =>
      runOnServer(cli, { url }, async (found) => {
        const { mcpLogins } = clientOf(found);
        const page = await openLoopbackPage(LOGIN_MS);
        try {
          const wanted = { server, redirect: page.url, ...compact({ agent }) };
          const begun = await mcpLogins.begin(wanted);
          cli.err(`Log in at ${begun.issuer} in a browser on this machine:\n${begun.url}\n`);
          const done = await mcpLogins.finish(await page.answer);
          cli.out(
            json
              ? `${JSON.stringify(done)}\n`
              : `You are logged in at ${done.server}.${goingOn(done.approvalIds.length)}\n`,
          );
          return 0;
        } finally {
          page.close();
        }
      }),
    );
  subcommand(
    command,
    'logout <SERVER>',
    'end your log-in at a server, by its name or its id',
  ).action((server, options) =>
    listOnServer(cli, options, { ask: (client) => logOut(client, server), show: describeEnded }),
  );
  subcommand(
    command,
    'forget <ISSUER>',
    'forget the client that an authorization server registered for this server; the next log-in registers a new one',
  ).action((issuer, options) =>
    listOnServer(cli, options, {
      ask: async ({ mcpLogins }) => [await mcpLogins.forgetClients(issuer)],
      show: (all) => all.map(describeForgotten),
    }),
  );
}

function goingOn(calls: number): string {
  if (calls === 0) return '';
  return calls === 1 ? ' One call that waited goes on.' : ` ${calls} calls that waited go on.`;
}

async function logOut({ mcpLogins }: TurnpikeClient, server: string): Promise<EndedMcpLogin[]> {
  const { logins } = await mcpLogins.list();
  const found = logins.filter((login) => login.id === server || login.server === server);
  if (found.length === 0) {
    throw new UsageError(
      `You are not logged in at ${server}; ${commandName()} mcp list shows where you are`,
    );
  }
  return Promise.all(found.map(({ id }) => mcpLogins.end(id)));
}

function describeEnded(ended: readonly EndedMcpLogin[]): string[] {
  return ended.map(({ login, isRevoked }) =>
    isRevoked
      ? `You are logged out at ${login.server}.`
      : `The tokens for ${login.server} are deleted here. ${login.issuer} did not take them back: they end there by themselves.`,
  );
}

function describeForgotten({ issuer, forgotten }: ForgottenMcpClients): string {
  return forgotten === 0
    ? `${issuer} registered this server for no log-in; ${commandName()} mcp login names the issuer of a server.`
    : `The next log-in at ${issuer} registers anew. People who are logged in stay so.`;
}

/** A log-in, or a server without one. */
interface Row {
  server: string;
  host: string;
  id?: string;
  issuer?: string;
  renewedAt?: string;
}

function rowsOf({ logins, servers }: McpLoginList): Row[] {
  const own = logins.map((login) => ({ ...login, host: new URL(login.url).host }));
  const names = new Set(own.map(({ server }) => server));
  const open = servers.filter(({ name }) => !names.has(name));
  return [...own, ...open.map(({ name, host }) => ({ server: name, host }))];
}

function tableOfRows(rows: readonly Row[]): Table {
  return {
    columns: ['SERVER', 'HOST', 'LOG-IN', 'ISSUER', 'RENEWED (UTC)'],
    rows: rows.map(({ server, host, id, issuer, renewedAt }) => [
      server,
      oneLine(host, 200),
      id ?? 'none',
      oneLine(issuer ?? '', 200),
      renewedAt === undefined ? '' : minute(renewedAt),
    ]),
  };
}
