import { ConnectionLostError, TurnpikeError } from '../../client/turnpike-client.js';
import { UsageError } from '../command.js';
import { commandName } from '../../platform/process/command-name.js';
import { plainText, oneLine } from '../terminal/screen.js';

/** A message for the user: why a command failed, and what to do. */
export function explainFailure(error: unknown): string {
  // The message may quote a model or a tool, or come from a server that is not Turnpike.
  return plainText(explain(error));
}

function explain(error: unknown): string {
  if (error instanceof TurnpikeError) {
    // For a wrong request the message is enough: that a repeat fails too is no news.
    const { code, message, retryable, requestId } = error;
    const advice = retryable || requestId !== undefined ? describeAdvice(error) : '';
    if (error.status === 401) {
      return `${code}: ${message.replace(/\.?$/, '.')} Here, log in with ${commandName()} login, or set TURNPIKE_API_KEY to a key.`;
    }
    if (code === 'APPROVAL_NOT_FOUND')
      return `${code}: ${message} ${commandName()} approvals lists the open ones.`;
    if (code === 'TURN_NOT_FOUND')
      return `${code}: ${message} ${commandName()} turns --all --id ID tells a key with the scope admin how somebody else’s turn ended.`;
    return `${code}: ${message}${advice}`;
  }
  if (error instanceof ConnectionLostError && error.turnId === undefined) {
    return `The server cannot be reached: ${reasonOf(error.cause)}. Start one (npm start, or ${commandName()} serve), or correct --url or TURNPIKE_URL.`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** The exit code: 2 for a wrong call, as in shells; else 1. */
export function exitCodeOf(error: unknown): number {
  return error instanceof UsageError ? 2 : 1;
}

/** The system's message, which `fetch` keeps in the cause of its error. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'no answer';
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}

/**
 * The advice of an error as text: ` [retryable after 5 s, request req_1]`. Empty without advice, as from
 * a gateway. Pure.
 *
 * @param advice fields as they were received, not validated.
 */
export function describeAdvice(advice: {
  readonly retryable?: unknown;
  readonly retryAfterMs?: unknown;
  readonly requestId?: unknown;
}): string {
  const { retryable, retryAfterMs, requestId } = advice;
  const after =
    typeof retryAfterMs === 'number' ? ` after ${Math.ceil(retryAfterMs / 1_000)} s` : '';
  const details = [
    ...(retryable === true ? [`retryable${after}`] : []),
    ...(retryable === false ? ['not retryable'] : []),
    ...(typeof requestId === 'string' ? [`request ${oneLine(requestId, 80)}`] : []),
  ];
  return details.length === 0 ? '' : ` [${details.join(', ')}]`;
}
