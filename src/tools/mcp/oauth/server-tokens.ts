import type { Clock } from '../../../platform/clock.js';
import { secretRedactor, type Redact } from '../../../platform/text/redact.js';
import type { HttpDefinition, McpServer } from '../definitions.js';
import { isSameIssuer, normalServer } from './discovery.js';
import type { McpLoginRow } from './mcp-logins.js';
import { DeploymentAuth, PersonAuth, type AuthParts, type ServerAuth } from './server-auth.js';

export type OAuthParts = Pick<AuthParts, 'discovery' | 'logins'>;

/** A server with the log-in that it is used by; absent: none. */
export type UsedServer = McpServer & { loginId?: string };

/** Whose tokens the connections of turns send. */
export class ServerTokens {
  /** @param oauth undefined: nobody logs in, and no token is sent. */
  constructor(
    private readonly oauth: OAuthParts | undefined,
    private readonly clock: Clock,
  ) {}

  /** The newest log-in of somebody at each server that takes one, by the server's name. */
  async loginsOf(
    principalId: string | undefined,
    servers: readonly McpServer[],
  ): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const open = servers.filter(takesPeople);
    if (this.oauth === undefined || principalId === undefined || open.length === 0) return found;
    for (const login of (await this.oauth.logins.list(principalId)).toSorted(byRenewal)) {
      for (const { name, definition } of open) {
        const { expectedIssuer = login.issuer } = definition.oauth ?? {};
        const isIts = normalServer(definition.url) === login.server;
        if (isIts && isSameIssuer(expectedIssuer, login.issuer)) found.set(name, login.id);
      }
    }
    return found;
  }

  /** Undefined: the server has credentials of its own, or is a command. */
  authOf({ name, definition, loginId }: UsedServer): ServerAuth | undefined {
    if (this.oauth === undefined || !isForTokens(definition)) return undefined;
    const parts = { ...this.oauth, clock: this.clock };
    return definition.oauth?.grant === 'client_credentials'
      ? new DeploymentAuth({ name, definition }, parts)
      : new PersonAuth({ name, definition }, loginId, parts);
  }
}

/** Whether requests to a server have tokens: a definition with `Authorization` has a credential of its own. */
function isForTokens(definition: McpServer['definition']): definition is HttpDefinition {
  if (definition.kind !== 'http') return false;
  return !Object.keys(definition.headers).some((name) => name.toLowerCase() === 'authorization');
}

/** A server at which people log in. */
export type PeopleServer = McpServer & { definition: HttpDefinition };

/** Whether people log in at a server, if it asks for it. */
export function takesPeople(server: McpServer): server is PeopleServer {
  const { definition } = server;
  return isForTokens(definition) && definition.oauth?.grant !== 'client_credentials';
}

function byRenewal(a: McpLoginRow, b: McpLoginRow): number {
  return a.renewedAt.getTime() - b.renewedAt.getTime();
}

/** Removes a server's credentials, and the tokens that it was sent. */
export function redactorOf(secrets: readonly string[], auth: ServerAuth | undefined): Redact {
  let known = '';
  let redact = secretRedactor(secrets);
  return (text) => {
    const sent = auth?.sent() ?? [];
    if (sent.join() !== known) {
      known = sent.join();
      redact = secretRedactor([...secrets, ...sent]);
    }
    return redact(text);
  };
}
