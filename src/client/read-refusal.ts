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
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), now);
  const isGateway = told === undefined && gatewayFaults.has(status);
  return new TurnpikeError(told?.code ?? `HTTP_${status}`, {
    status,
    message: told?.message ?? `The server answered ${status}.`,
    details: told?.details,
    retryable: retryAfterMs !== undefined || comeAgain.has(status) || isGateway,
    retryAfterMs,
  });
}

interface Told {
  code: string;
  message: string;
  details?: unknown;
}

/** Three forms: the API's own, that of settings (`detail`), and problem details of agents. */
function readBody(text: string): Told | undefined {
  const body = parse(text);
  const { error, detail, title } = body;
  if (isRecord(error) && typeof error['type'] === 'string') {
    return { code: error['type'], message: textOf(error['message']), details: error['details'] };
  }
  if (Array.isArray(detail)) {
    const wrong = detail.filter(isRecord).map(({ msg }) => textOf(msg));
    return { code: 'INVALID_REQUEST', message: wrong.join('; '), details: detail };
  }
  if (typeof title !== 'string') return undefined;
  const code = typeof body['code'] === 'string' ? body['code'] : title;
  return { code, message: typeof detail === 'string' ? detail : title, details: body };
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
