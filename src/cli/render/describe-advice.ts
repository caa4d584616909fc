import { oneLine } from '../terminal/plain-text.js';

/**
 * The advice of an error as text: ` [retryable after 5 s, request req_1]`. Empty without advice, as from
 * earlier versions. Pure.
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
