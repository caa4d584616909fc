import { TypedError } from '../../../errors/typed-error.js';

/** Why nobody is logged in at an MCP server. The table has what is done about it. */
export const oauthFaults = {
  UNKNOWN_SERVER:
    'There is no such MCP server over http in the configuration, or of this agent. GET /api/harness/mcp/logins lists those of the configuration',
  NOT_OFFERED:
    'The MCP server names no authorization server, so nobody logs in at it. Give it `headers` with a credential',
  WRONG_RESOURCE:
    'The metadata of the MCP server are about another address. Correct `url` in the definition of the server, or ask its operator',
  WRONG_ISSUER:
    'The authorization server is not the one that was expected. Log in no more until the operator has compared `expectedIssuer` in the definition with what the MCP server names',
  NO_PKCE:
    'The authorization server does not say that it checks PKCE with S256, without which a code can be stolen. Ask its operator, or use `headers` with a credential',
  UNSAFE_ADDRESS:
    'The authorization server is not reached over https, or is at an address that is not public. If it is yours, list its host in TURNPIKE_MCP_PRIVATE_HOSTS; otherwise log in there no more',
  NO_CLIENT:
    'The authorization server registers no clients by itself. Register one there by hand, and put its id into `oauth.clientId` of the definition',
  CLIENT_REFUSED:
    'The authorization server does not take this server as its client. Begin again; if that fails too, register a client there by hand, and put its id into `oauth.clientId`, or correct the one that is there',
  NO_PUBLIC_URL:
    'This server does not know its own address, and takes none from a request: the log-in could come back to anybody. Set TURNPIKE_PUBLIC_URL to the origin that browsers use',
  REDIRECT_REFUSED:
    'The redirect URL is neither this server nor a program on your own machine (http://127.0.0.1:PORT/callback), and TURNPIKE_MCP_REDIRECTS does not list it. List it there, or leave it out',
  NOT_BEGUN:
    'No log-in with this state has begun, or it was finished. Begin it again where you began it',
  OTHER_BROWSER:
    'This browser did not begin the log-in. Nothing was stored. Begin it again in this browser, and open no link to a log-in that somebody sent you',
  OTHER_PERSON:
    'Somebody else began the log-in. Nothing was stored. Begin it again with your own credential',
  REFUSED:
    'The authorization server did not log you in. Nothing was stored, and the question is still open: log in again, or deny it',
  CODE_REFUSED:
    'The authorization server did not take its own code back. Nothing was stored. Begin the log-in again',
  SCOPE_REFUSED:
    'The MCP server wants scopes that its authorization server did not give at the log-in. Ask the operator of either for them',
  TOKEN_REFUSED:
    'The MCP server refused a token that its authorization server issued a moment ago. Compare `oauth` in its definition (scopes, resource, expectedIssuer) with what the server wants',
  AWAY: 'The authorization server, or the MCP server with its metadata, did not answer as it should. Try again; the log says what it answered',
} as const;

export type OAuthFault = keyof typeof oauthFaults;

/** Facts about a log-in that failed, for people: nothing of it is secret. */
export interface OAuthFacts {
  server?: string;
  issuer?: string;
  /** The authorization server's own words. */
  error?: string;
}

/** A log-in at an MCP server that failed. */
export class OAuthLoginError extends Error {
  override readonly name = 'OAuthLoginError';

  constructor(
    readonly fault: OAuthFault,
    readonly facts: OAuthFacts = {},
    options?: { cause: unknown },
  ) {
    super(oauthFaults[fault], options);
  }

  /** The fault as the end of a sentence about the server, for the model. */
  get asReason(): string {
    const { issuer, error } = this.facts;
    const where = issuer === undefined ? '' : ` The authorization server is ${issuer}.`;
    const said = error === undefined ? '' : ` It says: ${error}.`;
    return `${this.message}.${where}${said}`;
  }

  typed(): TypedError {
    const details = { reason: this.fault, ...this.facts };
    const init = { message: this.asReason, details, cause: this.cause };
    return this.fault === 'AWAY'
      ? new TypedError('MCP_LOGIN_UNAVAILABLE', init)
      : new TypedError('MCP_LOGIN_REFUSED', init);
  }
}

/** What a person is asked for: a log-in, by which the call that needs it can be made. */
export interface LoginQuestion {
  /** Name of the server. */
  server: string;
  /** Host of the server, with its port unless that is its scheme's. */
  host: string;
  issuer: string;
  scopes: readonly string[];
}

/** A server did not do what it was asked, and would after a log-in. Nothing was executed. */
export class LoginNeededError extends Error {
  override readonly name = 'LoginNeededError';

  constructor(readonly question: LoginQuestion) {
    super(`it wants a log-in at ${question.issuer}`);
  }
}

const MAX_SAID_CHARS = 200;

/** A text of another server, for people. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, ' ').slice(0, MAX_SAID_CHARS);
}
