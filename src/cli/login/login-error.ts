import { commandName } from '../../platform/process/command-name.js';

/** Why a log-in on the command line is not there, or could not be made. */
export type LoginFault =
  /** No issuer of the server has a log-in on the command line. */
  | 'NO_LOGIN'
  /** The user is known at another server by the same provider, and did not say that this server may have such tokens. */
  | 'OTHER_SERVER'
  /** The person, or the provider, refused. */
  | 'LOGIN_REFUSED'
  /** The code was not used in time. */
  | 'LOGIN_EXPIRED'
  /** The provider does not renew the log-in any more. */
  | 'LOGIN_ENDED'
  /** The provider does not answer. */
  | 'PROVIDER_AWAY'
  /** The provider is not set up for the log-in. */
  | 'PROVIDER_FAULT'
  /** The file of log-ins cannot be used. */
  | 'LOGIN_FILE';

/** The message, one line, says what to do. */
export class LoginError extends Error {
  constructor(
    readonly fault: LoginFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(`${fault}: ${message}`, options);
    this.name = 'LoginError';
  }
}

/** @param server its URL. */
export function loginEnded(server: string, options?: ErrorOptions): LoginError {
  return new LoginError(
    'LOGIN_ENDED',
    `The log-in at ${server} has ended. Log in again: ${commandName()} login --url ${server}`,
    options,
  );
}
