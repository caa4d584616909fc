import { consoleOrigin } from '../../../access/logins/login-cookies.js';
import type { Config } from '../../../config/config.js';
import { isLoopbackHttp } from '../../../platform/net/addresses.js';
import { describeClient, type Redirect } from './oauth-clients.js';
import { OAuthLoginError } from './oauth-error.js';

/** Path of the page that a log-in comes back to. */
export const MCP_CALLBACK = '/oauth/mcp/callback';
/** Path of the client metadata document. */
export const MCP_CLIENT = '/oauth/mcp/client.json';
/** Redirects of programs on a person's own machine, at any port. */
const programs = ['http://127.0.0.1/callback', 'http://localhost/callback'];

/** The places that log-ins at MCP servers may come back to. */
export class McpRedirects {
  constructor(private readonly config: Pick<Config, 'publicUrl' | 'mcpRedirects'>) {}

  /** The server's own page. @param host the header `Host`. */
  own(host: string): Redirect {
    const origin = this.#originOf(host);
    return { url: origin + MCP_CALLBACK, ...documentAt(origin) };
  }

  /**
   * A place of an application: a listed one, or a program on the person's machine.
   *
   * @throws TypedError MCP_LOGIN_REFUSED 400.
   */
  given(url: string, host: string): Redirect {
    const isListed = this.config.mcpRedirects.includes(url);
    if (!isListed && !isProgram(url)) {
      throw new OAuthLoginError('REDIRECT_REFUSED').typed();
    }
    return { url, ...documentAt(this.#originOf(host)) };
  }

  /** The client metadata document; undefined: authorization servers read none over http. */
  describe(host: string): object | undefined {
    const { url, clientDocument } = this.own(host);
    if (clientDocument === undefined) return undefined;
    return describeClient(clientDocument, [url, ...this.config.mcpRedirects, ...programs]);
  }

  #originOf(host: string): string {
    return this.config.publicUrl ?? consoleOrigin(host);
  }
}

function documentAt(origin: string): Pick<Redirect, 'clientDocument'> {
  return origin.startsWith('https://') ? { clientDocument: origin + MCP_CLIENT } : {};
}

function isProgram(url: string): boolean {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed !== undefined && isLoopbackHttp(parsed) && !/[?#]/.test(url);
}
