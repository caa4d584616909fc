import { AuditLog } from '../../../src/access/audit-log.js';
import { PrincipalEpochs } from '../../../src/access/people/principal-epochs.js';
import { SecretVault } from '../../../src/access/secrets/secret-vault.js';
import { systemClock, type Clock } from '../../../src/platform/clock.js';
import type { Logger } from '../../../src/platform/logger.js';
import type { Database } from '../../../src/storage/connection.js';
import type { OAuthSettings } from '../../../src/tools/mcp/definitions.js';
import { OAuthDiscovery, oauthFetch } from '../../../src/tools/mcp/oauth/discovery.js';
import { McpLogins } from '../../../src/tools/mcp/oauth/mcp-logins.js';
import { OAuthClients } from '../../../src/tools/mcp/oauth/oauth-clients.js';
import { OAuthFlows, type LoginToBegin } from '../../../src/tools/mcp/oauth/oauth-flows.js';
import { Metrics } from '../../../src/telemetry/metrics.js';
import { newMasterKey, openMasterKeys } from '../access/master-keys.js';
import { silentLogger } from '../silent-logger.js';

const key = newMasterKey();

/** A process's parts for log-ins at MCP servers. */
export async function openOAuth(
  db: Database,
  { clock = systemClock, logger = silentLogger }: { clock?: Clock; logger?: Logger } = {},
) {
  const discovery = new OAuthDiscovery(oauthFetch([]), clock);
  const vault = new SecretVault(db, clock, await openMasterKeys(key));
  const audit = new AuditLog(db, clock);
  const metrics = new Metrics();
  const epochs = new PrincipalEpochs(db, clock);
  const logins = new McpLogins(db, clock, logger, vault, audit, epochs, discovery, metrics);
  const flows = new OAuthFlows(
    db,
    clock,
    vault,
    discovery,
    new OAuthClients(db, clock, vault, discovery, logger),
    metrics,
  );
  return { discovery, logins, flows, metrics };
}

export type OAuthParts = Awaited<ReturnType<typeof openOAuth>>;

const REDIRECT = 'http://127.0.0.1:4455/callback';

/** Begins a log-in of somebody, who brings the answer with a credential. */
export function loginAt(
  url: string,
  oauth: OAuthSettings = {},
  more: Partial<LoginToBegin> = {},
): LoginToBegin {
  const definition = {
    kind: 'http',
    transport: 'streamable',
    url,
    headers: {},
    oauth,
    trustAnnotations: false,
    perSession: false,
    roots: false,
    protocol: 'auto',
  } as const;
  return {
    principalId: 'ann',
    credential: { kind: 'key', id: 'k1' },
    server: { name: 'tracker', definition },
    redirect: { url: REDIRECT },
    ...more,
  };
}

/** Opens the page of an authorization server as a browser does. @returns the query that it sends back. */
export async function visit(url: string): Promise<URLSearchParams> {
  const response = await fetch(url, { redirect: 'manual' });
  const to = response.headers.get('location');
  if (to === null) throw new Error(`${response.status}: ${await response.text()}`);
  return new URL(to).searchParams;
}

/** Logs somebody in. @returns the id of the log-in. */
export async function logIn(parts: OAuthParts, db: Database, login: LoginToBegin): Promise<string> {
  const { url } = await parts.flows.begin(login);
  const by = { principalId: login.principalId };
  const { scopes: _, begunAt, ...done } = await parts.flows.finish(await visit(url), by);
  return db.transaction((tx) => parts.logins.store(tx, done, begunAt));
}
