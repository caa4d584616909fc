import { statSync } from 'node:fs';
import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { refusedHost } from '../../platform/net/addresses.js';
import { errorCode, withCauses } from '../../platform/error-code.js';
import { MessageTooLongError } from './messages.js';
import { LoginNeededError, OAuthLoginError } from './oauth/oauth-error.js';
import type { RetryClass } from '../tool.js';
import { cutText } from '../../platform/text/cut-text.js';
import { hostPath } from '../../platform/text/host-path.js';

const longest = 500;
const MAX_FAULT_CHARS = 200;

/** A fault of the connection, with a message written for users. */
export class McpFault extends Error {
  override readonly name = 'McpFault';

  /** @param isLasting whether time alone does not change it. */
  constructor(
    message: string,
    readonly isLasting = false,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A command that cannot be run, by the error of the operating system: it names neither the folder nor the fault. */
export function commandFault(error: Error, command: string, cwd: string | undefined): Error {
  const code = errorCode(error);
  const shown = (text: string): string => JSON.stringify(text.replace(hostPath, '…/$<name>'));
  const fault = (message: string): McpFault => new McpFault(message, false, { cause: error });
  if (cwd !== undefined && statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return fault(`the folder it runs in, ${shown(cwd)}, was not found (cwd)`);
  }
  if (code === 'EACCES') return fault(`its command ${shown(command)} may not be run`);
  if (code !== 'ENOENT') return error;
  const hint = /\s/.test(command) ? '; arguments belong in its args' : '';
  return fault(`its command ${shown(command)} was not found${hint}`);
}

/**
 * Describes a fault of a server, as the end of a sentence about it. The server's own message is
 * repeated, cut; of any other error only the code: its message may contain a path or a URL.
 */
export function describeFault(error: unknown): string {
  if (error instanceof McpFault || error instanceof MessageTooLongError) return error.message;
  if (error instanceof LoginNeededError) return error.message;
  if (error instanceof OAuthLoginError) return `nobody is logged in at it: ${error.asReason}`;
  if (isConnectionLost(error)) {
    return 'it ended, or its connection did, before it answered';
  }
  if (error instanceof ProtocolError) return `it answered: ${messageOf(error)}`;
  if (error instanceof SdkHttpError) return describeStatus(error);
  if (refusedHost(error) !== undefined) {
    return 'its host is at an address that is not public; the operator lists those that may be, with their ports, in TURNPIKE_MCP_PRIVATE_HOSTS';
  }
  const code = withCauses(error)
    // The SDK's own codes say less than what caused them.
    .filter((one) => !(one instanceof SdkError))
    .map(errorCode)
    .find((one) => one !== undefined);
  if (code === undefined && error instanceof SdkError) {
    return clientFaults[error.code] ?? 'its connection failed';
  }
  if (code === undefined) return 'its connection failed';
  return `its connection failed (${code})`;
}

/** Texts for faults that the client itself finds. */
const clientFaults: Readonly<Record<string, string>> = {
  [SdkErrorCode.UnsupportedResultType]: 'it runs the call as a task, which is not supported',
  [SdkErrorCode.InvalidResult]: 'it answered something that is no MCP message',
  [SdkErrorCode.ClientHttpUnexpectedContent]: 'it answered something that is no MCP message',
  // Without a pin another connection is made in the older way, and its error counts.
  [SdkErrorCode.EraNegotiationFailed]:
    'it does not speak the version of the protocol that its definition names (protocol)',
};

/** Marks the error that a request is given whose connection ended before its answer. */
const LOST = 'turnpike: no answer came';
export const lostAnswer = { code: ProtocolErrorCode.InternalError, message: LOST };

/** Whether the connection ended before the answer. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.message === LOST;
  return error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
}

/**
 * Whether a server may no longer know the session. The protocol's 404 says so; servers that restarted also answer 400,
 * 401, 410 or a fault of their own, or 200 with an error that names the session.
 */
export function isSessionDoubtful(error: unknown): boolean {
  if (error instanceof SdkHttpError) {
    return [400, 401, 404, 410].includes(error.status) || error.status >= 500;
  }
  if (!(error instanceof ProtocolError)) return false;
  return error.code === SESSION_NOT_FOUND || /\bsession\b|not initialized/i.test(error.message);
}

/** What SDKs of the protocol answer for a session that they do not know. */
const SESSION_NOT_FOUND = -32_001;

/**
 * Whether a call is made again at once, in a new session. One that must not run twice is made again after 404 alone:
 * the protocol says that no server runs it then. Any other status may be the tool's own.
 */
export function mayCallAgain(error: unknown, retry: RetryClass): boolean {
  if (!isSessionDoubtful(error)) return false;
  return retry !== 'never' || (error instanceof SdkHttpError && error.status === 404);
}

function describeStatus(error: SdkHttpError): string {
  const { status } = error;
  const words = wordsOf(error);
  const message = `it answered HTTP ${status}${words === '' ? '' : `: ${words}`}`;
  return status === 401 || status === 403
    ? `${message}; check the credentials in its headers`
    : message;
}

/** A server's own words about a refused request: the message of its JSON, or its text. */
function wordsOf({ status, data }: SdkHttpError): string {
  // The SDK says where a redirect leads, which may be inside the network.
  if (status < 400 || typeof data.text !== 'string') return '';
  const body = data.text;
  const [, jsonMessage] = /"message"\s*:\s*"((?:[^"\\]|\\.){1,500})"/.exec(body) ?? [];
  const words = jsonMessage ?? (/^\s*</.test(body) ? '' : body);
  return cutText(words.replaceAll(/\s+/g, ' ').trim(), MAX_FAULT_CHARS);
}

function messageOf(error: ProtocolError): string {
  const { message } = error;
  return message.length > longest ? `${message.slice(0, longest)}…` : message;
}

/** Whether a fault is of the definition: refused credentials, a refused address, a wrong `protocol`. */
export function isLasting(error: unknown): boolean {
  if (refusedHost(error) !== undefined) return true;
  if (error instanceof SdkHttpError) return error.status === 401 || error.status === 403;
  return describeFault(error) === clientFaults[SdkErrorCode.EraNegotiationFailed];
}

/**
 * Whether a connection fails in any era: there is no process, or no host, or a log-in is needed. A refusal alone says
 * nothing: some servers answer 401 to whatever has no session.
 */
export function isFinal(error: unknown): boolean {
  if (refusedHost(error) !== undefined || error instanceof LoginNeededError) return true;
  return withCauses(error).some((one) => {
    const code = errorCode(one);
    return code !== undefined && /^E[A-Z]+$/.test(code);
  });
}
