/** The result of a try. */
export type TryResult =
  | {
      type: 'answered';
      status: number;
      /** Milliseconds that the endpoint asks to be left alone for. */
      retryAfterMs?: number | undefined;
      /** Beginning of the body. */
      body: string;
    }
  /** No answer came, or nothing was sent. */
  | { type: 'failed'; reason: string };

/** The state of a delivery after a try. */
export type Outcome =
  | { type: 'delivered' }
  /** @property pauseMs milliseconds in which nothing at all is sent to the endpoint. */
  | { type: 'retry'; reason: string; delayMs: number; pauseMs?: number }
  | { type: 'dead'; reason: string; pauseMs?: number }
  /** The endpoint wants no more: it is disabled. */
  | { type: 'gone'; reason: string };

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delays after the first try, and after each that failed: those of Standard Webhooks, in ms. */
export const retryDelaysMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** The part of a delay by which it is shorter or longer at random: what failed together is not sent together. */
const JITTER = 0.1;

/** Statuses by which an endpoint says that it has too much to do. */
const throttles: readonly number[] = [429, 502, 504];

/** The pause after one of those that names no time, and the longest that an endpoint may ask for. */
const STANDARD_PAUSE_MS = 30 * second;
const MAX_PAUSE_MS = hour;

/** The longest delay of one delivery that an endpoint may ask for. */
const MAX_DELAY_MS = 24 * hour;

/**
 * Decides what follows from a try. Pure.
 *
 * @param failures tries that failed before this one.
 * @param random from 0 up to 1.
 */
export function decideOutcome(result: TryResult, failures: number, random: number): Outcome {
  if (result.type === 'answered' && result.status >= 200 && result.status < 300) {
    return { type: 'delivered' };
  }
  const reason = reasonOf(result);
  if (result.type === 'answered' && result.status === 410) return { type: 'gone', reason };
  const { status, retryAfterMs } = result.type === 'answered' ? result : {};
  const isThrottled = status !== undefined && throttles.includes(status);
  const pauseMs = Math.min(retryAfterMs ?? STANDARD_PAUSE_MS, MAX_PAUSE_MS);
  const throttle = isThrottled ? { pauseMs } : {};
  const standard = retryDelaysMs[failures];
  if (standard === undefined) return { type: 'dead', reason, ...throttle };
  const jittered = Math.round(standard * (1 - JITTER + 2 * JITTER * random));
  const asked = Math.min(retryAfterMs ?? 0, MAX_DELAY_MS);
  return { type: 'retry', reason, delayMs: Math.max(jittered, asked), ...throttle };
}

function reasonOf(result: TryResult): string {
  if (result.type === 'failed') return result.reason;
  const { status } = result;
  if (status < 300 || status >= 400) return `the endpoint answered ${status}`;
  return `the endpoint answered ${status}: redirects are not followed`;
}
