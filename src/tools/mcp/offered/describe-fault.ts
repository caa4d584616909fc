import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { errorCode } from '../../../platform/error-code.js';
import { refusedHost } from '../../../platform/net/address-refused.js';
import { MessageTooLongError } from '../transport/messages.js';
import type { RetryClass } from '../../tool.js';

const longest = 500;

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
  if (error instanceof StreamableHTTPError) return describeStatus(error.code);
  if (refusedHost(error) !== undefined) {
    return 'its host is at an address that is not public; the operator lists those that may be, with their ports, in TURNPIKE_MCP_PRIVATE_HOSTS';
  }
  const code = errorCode(error) ?? errorCode(causeOf(error));
  if (code === undefined) return 'its connection failed';
  return commandFaults[code] ?? `its connection failed (${code})`;
}

/** Whether the connection ended before the answer. */
export function isConnectionLost(error: unknown): boolean {
  const lost: number = ErrorCode.ConnectionClosed;
  return error instanceof McpError && error.code === lost;
}

/**
 * Whether a server over HTTP no longer knows the session: the protocol's 404 means that the request was
 * not run. Some servers answer 400, which others use for requests that were run; it counts only for
 * calls that may run twice.
 */
export function isSessionGone(error: unknown, retry: RetryClass): boolean {
  if (!(error instanceof StreamableHTTPError)) return false;
  return error.code === 404 || (error.code === 400 && retry !== 'never');
}

function describeStatus(status: number | undefined): string {
  if (status === 401 || status === 403) {
    return `it answered HTTP ${status}; check the credentials in its headers`;
  }
  return status === undefined || status < 0
    ? 'it answered something that is no MCP message'
    : `it answered HTTP ${status}`;
}

function messageOf(error: McpError): string {
  const message = error.message.replace(/^MCP error -?\d+: /, '');
  return message.length > longest ? `${message.slice(0, longest)}…` : message;
}

function causeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
}
