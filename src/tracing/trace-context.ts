import { createTraceState, isSpanContextValid, type SpanContext } from '@opentelemetry/api';
import type { StoredTrace } from '../storage/shapes/stored-turn.js';

/** Longest `tracestate` that is kept: as much as the specification asks for. */
const MOST_STATE = 512;

const form = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * Parses the headers `traceparent` and `tracestate`. Pure.
 *
 * @returns undefined for headers that are missing or not valid: their request begins a trace of its own.
 */
export function parseTrace(
  traceparent: string | undefined,
  tracestate?: string,
): StoredTrace | undefined {
  const [, version, traceId, spanId, flags, rest] = form.exec(traceparent?.trim() ?? '') ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined) return undefined;
  // Later versions may have more after the flags; `ff` is no version.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  const traceFlags = Number.parseInt(flags ?? '', 16);
  if (!isSpanContextValid({ traceId, spanId, traceFlags })) return undefined;
  return toTrace({ traceId, spanId, traceFlags, ...stateOf(tracestate) });
}

/** The ids of a span as they are stored. */
export function toTrace({ traceId, spanId, traceFlags, traceState }: SpanContext): StoredTrace {
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  const tracestate = traceState?.serialize() ?? '';
  return tracestate === '' ? { traceparent } : { traceparent, tracestate };
}

/** The span of another process. */
export function toSpanContext({ traceparent, tracestate }: StoredTrace): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const traceFlags = Number.parseInt(flags, 16);
  return { traceId, spanId, traceFlags, isRemote: true, ...stateOf(tracestate) };
}

/** The id of a span's trace, for log lines. */
export function traceIdOf({ traceparent }: StoredTrace): string {
  return traceparent.slice(3, 35);
}

function stateOf(tracestate: string | undefined): Pick<SpanContext, 'traceState'> {
  if (tracestate === undefined || tracestate.length > MOST_STATE) return {};
  return { traceState: createTraceState(tracestate) };
}
