import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { compact } from '../platform/compact.js';
import type { StoredTrace } from '../storage/shapes/stored-trace.js';
import { parseTrace } from '../tracing/trace-context.js';
import { activeTrace } from '../tracing/tracing.js';
import type { TypedError } from '../errors/typed-error.js';

/** Facts about a request beside its content. One object for each request. */
export interface RequestRecord {
  /** The id in the request's log lines, and in `X-Request-Id` of its answer. */
  readonly id: string;
  /** Its span: that of a library that traces requests, else the one in its headers; absent: none. */
  readonly trace?: StoredTrace;
  /** The error that answered the request; absent: none. */
  refusal?: { type: string; message: string };
}

/** Valid ids, as gateways make them: other text does not get into logs and headers. */
const goodId = /^[\w-]{1,128}$/;

const records = new WeakMap<object, RequestRecord>();

/** @param headers of the request; an invalid `x-request-id` is replaced. */
export function openRecord(request: object, headers: IncomingHttpHeaders): RequestRecord {
  const given = headerOf(headers, 'x-request-id');
  const id = given !== undefined && goodId.test(given) ? given : randomUUID();
  const trace =
    activeTrace() ?? parseTrace(headerOf(headers, 'traceparent'), headerOf(headers, 'tracestate'));
  const record: RequestRecord = { id, ...compact({ trace }) };
  records.set(request, record);
  return record;
}

/** Headers that come twice are joined by a comma. */
function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join() : value;
}

/** @returns undefined for a request without a record: in tests, which have no middleware. */
export function recordOf(request: object): RequestRecord | undefined {
  return records.get(request);
}

/** Keeps the error for the request's log line. */
export function noteRefusal(request: object, { type, message }: TypedError): void {
  const record = recordOf(request);
  if (record !== undefined) record.refusal = { type, message };
}
