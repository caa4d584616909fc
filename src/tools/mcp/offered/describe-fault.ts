import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { errorCode } from '../../../platform/error-code.js';
import { refusedHost } from '../../../platform/net/address-refused.js';
import { MessageTooLongError } from '../transport/message-too-long.js';
import type { RetryClass } from '../../tool.js';

const longest = 500;

/** Of the operating system, about a command. */
const commandFaults: Readonly<Record<string, string>> = {
  ENOENT: 'its command, or the folder it runs in, was not found',
  EACCES: 'its command may not be run',
};

/** A fault of ours or of the wire whose message is written for readers. */
export class McpFault extends Error {
  override readonly name = 'McpFault';
}

/**
 * Why something with a server failed, as the end of a sentence about it. What the server itself said
 * is repeated, in short; of any other error only its code: the message may hold a path or a URL.
 */
export function describeFault(error: unknown): string {
  if (error instanceof McpFault || error instanceof MessageTooLongError) return error.message;
  if (isConnectionLost(error)) {
    return 'it ended, or its connection did, before it answered';
  }
  if (error instanceof McpError) return `it answered: ${saidBy(error)}`;
  if (error instanceof StreamableHTTPError) return describeStatus(error.code);
  if (refusedHost(error) !== undefined) {
    return 'its host is at an address that is not public; TURNPIKE_EGRESS_PRIVATE_HOSTS lists those that may be';
  }
  const code = errorCode(error) ?? errorCode(causeOf(error));
  if (code === undefined) return 'its connection failed';
  return commandFaults[code] ?? `its connection failed (${code})`;
}

/** Whether the answer will not come any more. */
export function isConnectionLost(error: unknown): boolean {
  const lost: number = ErrorCode.ConnectionClosed;
  return error instanceof McpError && error.code === lost;
}

/**
 * Whether a server over HTTP does not know the session any more, by the protocol's own word for it:
 * what was sent then was not run. Some say 400, as others do of a call that was: that counts for
 * calls that may run twice only.
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

function saidBy(error: McpError): string {
  const said = error.message.replace(/^MCP error -?\d+: /, '');
  return said.length > longest ? `${said.slice(0, longest)}…` : said;
}

function causeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
}
