/** Why a person was not logged in. The table has what the person does about it. */
export const loginFaults = {
  UNKNOWN_ISSUER:
    'The server has no log-in with this identity provider. Begin at the console, which lists those that it has',
  UNKNOWN_HOST: 'The request names no host. Open the console by its address in a browser',
  NOT_BEGUN:
    'This browser has not begun a log-in, or has finished it. Open the console, and log in from there',
  EXPIRED: 'The log-in took more than ten minutes. Begin it again',
  WRONG_STATE:
    'The answer is to another log-in than the one that this browser keeps in its place. Begin it again',
  PROVIDER_REFUSED:
    'The identity provider did not log you in. Try again, or ask its administrator; it says why',
  CODE_REFUSED:
    'The identity provider did not take its own code back: it was used before, or the client of the console is set up in another way there. Begin the log-in again; if that fails too, ask the administrator of the server',
  WRONG_TOKEN:
    'The identity provider sent an ID token that is not for this log-in. Begin it again; if that fails too, ask the administrator of the server',
  MISSING_CLAIM:
    'The ID token lacks a claim that the server needs. Ask the administrator of the server to change `scopes` or `required` of the console',
  WRONG_CLAIM:
    'A claim of the ID token is not what the server needs. Use another account, or ask the administrator of the server',
  ENDED:
    'Your access was ended after the identity provider issued the ID token. Log in again, or ask the administrator of the server',
} as const;

export type LoginFault = keyof typeof loginFaults;

/** Facts about a log-in that failed, for the person: nothing of it is secret. */
export interface LoginFacts {
  issuer?: string;
  /** The claim that is missing or wrong. */
  claim?: string;
  /** The identity provider's own words. */
  error?: string;
}

export class LoginError extends Error {
  constructor(
    readonly fault: LoginFault,
    readonly facts: LoginFacts = {},
    options?: { cause: unknown },
  ) {
    super(loginFaults[fault], options);
  }
}
