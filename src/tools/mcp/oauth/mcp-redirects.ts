import { consoleOrigin } from '../../../access/face.js';
import type { Config } from '../../../config/config.js';
import { CLI_REDIRECT_PORT } from '../../../platform/net/addresses.js';
import { describeClient, type Redirect } from './oauth-clients.js';
import { OAuthLoginError } from './oauth-error.js';

/** Path of the page that a log-in comes back to. */
export const MCP_CALLBACK = '/oauth/mcp/callback';
/** Injects where a host application mounts the server, without a slash at its end. Absent: at the root. */
export const BASE_PATH = Symbol('BasePath');
/** Path of the client metadata document. */
export const MCP_CLIENT = '/oauth/mcp/client.json';
/** Redirects of programs on a person's own machine, at any port. */
const programs = ['http://127.0.0.1/callback', 'http://localhost/callback'];
/** What is registered for them: some authorization servers compare by the letter, and take the usual port alone. */
const registered = [...programs, `http://127.0.0.1:${CLI_REDIRECT_PORT}/callback`];

/** Values of `Host` that browsers look up nowhere. */
const ownNames = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/** The places that log-ins at MCP servers may come back to. Only the configuration, or a loopback name, says where. */
export class McpRedirects {
  /** @param basePath where a host application mounts the server, without a slash at its end. */
  constructor(
    private readonly config: Pick<Config, 'publicUrl' | 'mcpRedirects'>,
    private readonly basePath = '',
  ) {}

  /**
   * The server's own page.
   *
   * @param host the header `Host`, which anybody writes: it counts where it is a loopback name.
   * @throws TypedError MCP_LOGIN_REFUSED 400.
   */
  own(host: string): Redirect {
    const root = this.#rootOf(host);
    if (root === undefined) throw new OAuthLoginError('NO_PUBLIC_URL').typed();
    return { url: root + MCP_CALLBACK, ...documentAt(root) };
  }

  /**
   * A place of an application: a listed one, or a program on the person's machine.
   *
   * @throws TypedError MCP_LOGIN_REFUSED 400.
   */
  given(url: string, host: string): Redirect {
    const document = documentAt(this.#rootOf(host));
    if (this.config.mcpRedirects.includes(url)) return { url, ...document };
    if (!isProgram(url)) throw new OAuthLoginError('REDIRECT_REFUSED').typed();
    return { url, registered, ...document };
  }

  /** The client metadata document; undefined: authorization servers read none over http. */
  describe(host: string): object | undefined {
    const root = this.#rootOf(host);
    const { clientDocument } = documentAt(root);
    if (root === undefined || clientDocument === undefined) return undefined;
    const own = root + MCP_CALLBACK;
    return describeClient(clientDocument, [own, ...this.config.mcpRedirects, ...registered]);
  }

  #rootOf(host: string): string | undefined {
    const origin = this.config.publicUrl ?? (ownNames.test(host) ? consoleOrigin(host) : undefined);
    return origin === undefined ? undefined : origin + this.basePath;
  }
}

function documentAt(root: string | undefined): Pick<Redirect, 'clientDocument'> {
  return root?.startsWith('https://') === true ? { clientDocument: root + MCP_CLIENT } : {};
}

/** Whether a URL is that of a program, at any port (RFC 8252). All programs are one client. */
function isProgram(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const parsed = new URL(url);
  parsed.port = '';
  return programs.includes(parsed.href);
}
