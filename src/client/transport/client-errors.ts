export interface RefusalFacts {
  status: number;
  message: string;
  retryable: boolean;
  retryAfterMs?: number | undefined;
  requestId?: string | undefined;
  correlationId?: string | undefined;
  details?: unknown;
}

/** The server refused the request. */
export class TurnpikeError extends Error {
  /** Stable, for programs: `TURN_IN_PROGRESS`; `HTTP_502` where a gateway answered. */
  readonly code: string;
  readonly status: number;
  /** Whether the same request may work later, with nothing changed. */
  readonly retryable: boolean;
  /** Milliseconds from the answer after which the server wants the next try. */
  readonly retryAfterMs: number | undefined;
  /** The model provider's id of its request. */
  readonly requestId: string | undefined;
  /** The server's id of the request, by which its log has it. */
  readonly correlationId: string | undefined;
  /** Structured facts beside the message; for preferences, the fault of each field. */
  readonly details: unknown;

  constructor(code: string, facts: RefusalFacts) {
    super(facts.message);
    this.name = 'TurnpikeError';
    this.code = code;
    this.status = facts.status;
    this.retryable = facts.retryable;
    this.retryAfterMs = facts.retryAfterMs;
    this.requestId = facts.requestId;
    this.correlationId = facts.correlationId;
    this.details = facts.details;
  }
}

/** Whether the same request would fail again. */
export function isFinal(error: unknown): boolean {
  return error instanceof TurnpikeError && error.status < 500 && !error.retryable;
}

/**
 * The server was not reached, or was silent for too long. The request may have taken effect all the
 * same. A `TypeError` like those of `fetch`, as libraries take that for a lost connection.
 */
export class ConnectionLostError extends TypeError {
  readonly url: string;
  /** The turn that was being read: it may go on, and can be followed again. */
  readonly turnId: string | undefined;
  /** The last event that was received: pass it as `after`. */
  readonly lastEventId: string | undefined;

  constructor(
    message: string,
    facts: { url: string; cause: unknown; turnId?: string; lastEventId?: string | undefined },
  ) {
    super(message, { cause: facts.cause });
    this.name = 'ConnectionLostError';
    this.url = facts.url;
    this.turnId = facts.turnId;
    this.lastEventId = facts.lastEventId;
  }
}

/** Statuses after which the same request may work later, from the server or a gateway before it. */
const retryableStatuses = new Set([408, 425, 429]);
/** Statuses that are retryable from a gateway; Turnpike itself says in its body whether they are. */
const gatewayFaults = new Set([502, 503, 504]);

/**
 * The error of an answer that is no success. A body in none of Turnpike's forms is a gateway's.
 *
 * @param now milliseconds since the epoch.
 */
export async function parseRefusal(response: Response, now: number): Promise<TurnpikeError> {
  const { status, headers } = response;
  const body = parseBody(await response.text().catch(() => ''));
  const retryAfterMs = body?.retryAfterMs ?? parseRetryAfter(headers.get('retry-after'), now);
  const isGateway = body === undefined && gatewayFaults.has(status);
  return new TurnpikeError(body?.code ?? `HTTP_${status}`, {
    status,
    message: body?.message ?? `The server answered ${status}.`,
    details: body?.details,
    // Gateways do not send `retryable`.
    retryable:
      body?.retryable ?? (retryAfterMs !== undefined || retryableStatuses.has(status) || isGateway),
    retryAfterMs,
    requestId: body?.requestId,
    correlationId: headers.get('x-request-id') ?? undefined,
  });
}

interface RefusalBody extends Advice {
  code: string;
  message: string;
  details?: unknown;
}

interface Advice {
  retryable: boolean | undefined;
  retryAfterMs: number | undefined;
  requestId: string | undefined;
}

/** Parses the three forms: the API's (`error`), the preferences' (`detail`), the agents' problem details. */
function parseBody(text: string): RefusalBody | undefined {
  const body = parseRecord(text);
  const { error, detail, title } = body;
  if (isRecord(error) && typeof error['type'] === 'string') {
    const message = textOf(error['message']);
    return { code: error['type'], message, details: error['details'], ...parseAdvice(error) };
  }
  if (Array.isArray(detail)) {
    const wrong = detail.filter(isRecord).map(({ msg }) => textOf(msg));
    const message = wrong.join('; ');
    return { code: 'INVALID_REQUEST', message, details: detail, ...parseAdvice(body) };
  }
  if (typeof title !== 'string') return undefined;
  const code = typeof body['code'] === 'string' ? body['code'] : title;
  const message = typeof detail === 'string' ? detail : title;
  return { code, message, details: body, ...parseAdvice(body) };
}

function parseAdvice(from: Record<string, unknown>): Advice {
  const { retryable, retryAfterMs, requestId } = from;
  return {
    retryable: typeof retryable === 'boolean' ? retryable : undefined,
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
    requestId: typeof requestId === 'string' ? requestId : undefined,
  };
}

function parseRecord(text: string): Record<string, unknown> {
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

/**
 * Parses the header `Retry-After`: seconds, or a date. Pure.
 *
 * @param now milliseconds since the epoch.
 * @returns milliseconds, at least 0; undefined for no header or an unknown form.
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (text === '') return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
