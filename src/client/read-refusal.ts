import { TurnpikeError } from './client-errors.js';
import { readRetryAfter } from './retry-after.js';

/** Said by the server or by what stands before it: nothing is wrong with the request. */
const comeAgain = new Set([408, 425, 429]);
/** Of gateways. A server that says so itself says when to come again, or that it will not help. */
const gatewayFaults = new Set([502, 503, 504]);

/**
 * What an answer that is no success means. A body that is not ours is one of a gateway.
 *
 * @param now milliseconds since the epoch.
 */
export async function readRefusal(response: Response, now: number): Promise<TurnpikeError> {
  const { status, headers } = response;
  const told = readBody(await response.text().catch(() => ''));
  const retryAfterMs = told?.retryAfterMs ?? readRetryAfter(headers.get('retry-after'), now);
  const isGateway = told === undefined && gatewayFaults.has(status);
  return new TurnpikeError(told?.code ?? `HTTP_${status}`, {
    status,
    message: told?.message ?? `The server answered ${status}.`,
    details: told?.details,
    // A server of an earlier version does not say.
    retryable:
      told?.retryable ?? (retryAfterMs !== undefined || comeAgain.has(status) || isGateway),
    retryAfterMs,
    requestId: told?.requestId,
  });
}

interface Told extends Advice {
  code: string;
  message: string;
  details?: unknown;
}

interface Advice {
  retryable: boolean | undefined;
  retryAfterMs: number | undefined;
  requestId: string | undefined;
}

/** Three forms: the API's own, that of settings (`detail`), and problem details of agents. */
function readBody(text: string): Told | undefined {
  const body = parse(text);
  const { error, detail, title } = body;
  if (isRecord(error) && typeof error['type'] === 'string') {
    const message = textOf(error['message']);
    return { code: error['type'], message, details: error['details'], ...readAdvice(error) };
  }
  if (Array.isArray(detail)) {
    const wrong = detail.filter(isRecord).map(({ msg }) => textOf(msg));
    const message = wrong.join('; ');
    return { code: 'INVALID_REQUEST', message, details: detail, ...readAdvice(body) };
  }
  if (typeof title !== 'string') return undefined;
  const code = typeof body['code'] === 'string' ? body['code'] : title;
  const message = typeof detail === 'string' ? detail : title;
  return { code, message, details: body, ...readAdvice(body) };
}

function readAdvice(from: Record<string, unknown>): Advice {
  const { retryable, retryAfterMs, requestId } = from;
  return {
    retryable: typeof retryable === 'boolean' ? retryable : undefined,
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
    requestId: typeof requestId === 'string' ? requestId : undefined,
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? body : {};
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
