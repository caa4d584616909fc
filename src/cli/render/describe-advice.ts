import { oneLine } from '../terminal/plain-text.js';

/**
 * What a server says of an error about sending the same again: ` [retryable after 5 s, request
 * req_1]`. Empty where it says nothing, as earlier versions do. Pure.
 *
 * @param advice field by field as it came.
 */
export function describeAdvice(advice: {
  readonly retryable?: unknown;
  readonly retryAfterMs?: unknown;
  readonly requestId?: unknown;
}): string {
  const { retryable, retryAfterMs, requestId } = advice;
  const after =
    typeof retryAfterMs === 'number' ? ` after ${Math.ceil(retryAfterMs / 1_000)} s` : '';
  const said = [
    ...(retryable === true ? [`retryable${after}`] : []),
    ...(retryable === false ? ['not retryable'] : []),
    ...(typeof requestId === 'string' ? [`request ${oneLine(requestId, 80)}`] : []),
  ];
  return said.length === 0 ? '' : ` [${said.join(', ')}]`;
}
