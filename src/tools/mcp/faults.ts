import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { refusedHost } from '../../platform/net/addresses.js';
import { errorCode, withCauses } from '../../platform/error-code.js';
import { MessageTooLongError } from './messages.js';
import type { RetryClass } from '../tool.js';
import { cutText } from '../../platform/text/cut-text.js';

const longest = 500;
const MAX_FAULT_CHARS = 200;

/** Texts for errors of the operating system when a command is spawned. */
const commandFaults: Readonly<Record<string, string>> = {
  ENOENT: 'its command, or the folder it runs in, was not found',
  EACCES: 'its command may not be run',
};

/** A fault of the connection, with a message written for users. */
export class McpFault extends Error {
  override readonly name = 'McpFault';
}

/**
 * Describes a fault of a server, as the end of a sentence about it. The server's own message is
 * repeated, cut; of any other error only the code: its message may contain a path or a URL.
 */
export function describeFault(error: unknown): string {
  if (error instanceof McpFault || error instanceof MessageTooLongError) return error.message;
  if (isConnectionLost(error)) {
    return 'it ended, or its connection did, before it answered';
  }
  if (error instanceof McpError) return `it answered: ${messageOf(error)}`;
  if (error instanceof StreamableHTTPError) return describeStatus(error);
  if (refusedHost(error) !== undefined) {
    return 'its host is at an address that is not public; the operator lists those that may be, with their ports, in TURNPIKE_MCP_PRIVATE_HOSTS';
  }
  const code = withCauses(error)
    .map(errorCode)
    .find((one) => one !== undefined);
  if (code === undefined) return 'its connection failed';
  return commandFaults[code] ?? `its connection failed (${code})`;
}

/** Whether the connection ended before the answer. */
export function isConnectionLost(error: unknown): boolean {
  const lost: number = ErrorCode.ConnectionClosed;
  return error instanceof McpError && error.code === lost;
}

/**
 * Whether a server over HTTP may no longer know the session. The protocol's 404 says so; servers that restarted also
 * answer 400, 401, 410 or a fault of their own.
 */
export function isSessionDoubtful(error: unknown): boolean {
  const { code = 0 } = error instanceof StreamableHTTPError ? error : {};
  return [400, 401, 404, 410].includes(code) || code >= 500;
}

/**
 * Whether a call that a server refused was not run for the session that it lost, or may run twice: it is made again
 * at once, in a new session.
 */
export function mayCallAgain(error: unknown, retry: RetryClass): boolean {
  if (!(error instanceof StreamableHTTPError) || !isSessionDoubtful(error)) return false;
  if (error.code === 404 || retry !== 'never') return true;
  return (error.code ?? 500) < 500 && /\bsession\b|not initialized/i.test(wordsOf(error));
}

function describeStatus(error: StreamableHTTPError): string {
  const { code: status } = error;
  if (status === undefined || status < 0) return 'it answered something that is no MCP message';
  const words = wordsOf(error);
  const message = `it answered HTTP ${status}${words === '' ? '' : `: ${words}`}`;
  return status === 401 || status === 403
    ? `${message}; check the credentials in its headers`
    : message;
}

/** A server's own words about a refused request: the message of its JSON, or its text. */
function wordsOf({ code = 0, message }: StreamableHTTPError): string {
  // The SDK says where a redirect leads, which may be inside the network.
  if (code < 400) return '';
  const [, body = ''] = /Error POSTing to endpoint: (.*)$/s.exec(message) ?? [];
  const [, jsonMessage] = /"message"\s*:\s*"((?:[^"\\]|\\.){1,500})"/.exec(body) ?? [];
  const words = jsonMessage ?? (/^\s*</.test(body) ? '' : body);
  return cutText(words.replaceAll(/\s+/g, ' ').trim(), MAX_FAULT_CHARS);
}

function messageOf(error: McpError): string {
  const message = error.message.replace(/^MCP error -?\d+: /, '');
  return message.length > longest ? `${message.slice(0, longest)}…` : message;
}
