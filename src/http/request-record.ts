import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { compact } from '../platform/compact.js';
import type { StoredTrace } from '../storage/shapes/stored-turn.js';
import { parseTrace, traceIdOf } from '../telemetry/span-names.js';
import { activeTrace } from '../telemetry/tracing.js';
import type { ErrorCode } from '../errors/error-table.js';
import type { StreamAccess } from './streams/stream-access.js';
import type { Logger } from '../platform/logger.js';

/** Facts about a request beside its content. One object for each request. */
export interface RequestRecord {
  /** The id in the request's log lines, and in `X-Request-Id` of its answer. */
  readonly id: string;
  /** The request's span: that of a library that traces requests, else the one in its headers; absent: none. */
  readonly trace?: StoredTrace;
  /** Pattern of its route; absent: there is none. */
  readonly route?: string;
  /** The error that answered the request: its code alone, as messages quote what was sent. Absent: none. */
  error?: { type: ErrorCode };
  /** The stream that answers the request; absent: none. */
  stream?: StreamState;
  /** Whether the server broke the answer off after it had begun. Absent: it did not. */
  isBroken?: true;
  /** Called once the answer is over, with how much of it was sent. Absent: nobody waits for that. */
  answered?: ((sent: Sent) => void)[];
  /** Id of the principal that sent the request; absent: an open route, or not known yet. */
  principal?: string;
  /** The access that the reading of a stream ends with; absent: it ends with none. */
  access?: StreamAccess;
}

/** How much of an answer was sent: all of it, not a byte, or a part. */
export type Sent = 'all' | 'part' | 'nothing';

/** A stream of an answer, as it is at the moment. */
export interface StreamState {
  /** Frames that were written. */
  readonly frames: number;
  /** Id of the last one; undefined: none was written. */
  readonly cursor: string | undefined;
  /** Why it was ended before what it shows; undefined: it was not, as far as the server knows. */
  readonly brokenBy: 'slow' | 'error' | undefined;
}

/** Valid ids, as gateways make them: other text does not get into logs and headers. */
const goodId = /^[\w-]{1,128}$/;

const records = new WeakMap<object, RequestRecord>();

/**
 * @param headers of the request; an invalid `x-request-id` is replaced.
 * @param route of the request; undefined: there is none.
 */
export function openRecord(
  request: object,
  headers: IncomingHttpHeaders,
  route: string | undefined,
): RequestRecord {
  const given = headerOf(headers, 'x-request-id');
  const id = given !== undefined && goodId.test(given) ? given : randomUUID();
  const trace =
    activeTrace() ?? parseTrace(headerOf(headers, 'traceparent'), headerOf(headers, 'tracestate'));
  const record: RequestRecord = { id, ...compact({ trace, route }) };
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

/** How much was sent of an answer that is over. */
export function sentOf({
  writableFinished,
  headersSent,
}: Pick<ServerResponse, 'writableFinished' | 'headersSent'>): Sent {
  if (writableFinished) return 'all';
  return headersSent ? 'part' : 'nothing';
}

/** Keeps the error for the request's log line. */
export function noteError(request: object, type: ErrorCode): void {
  const record = recordOf(request);
  if (record !== undefined) record.error = { type };
}

/** Keeps for the request's log line that its answer is broken off by the server, not by the client. */
export function noteBroken(request: object): void {
  const record = recordOf(request);
  if (record !== undefined) record.isBroken = true;
}

/** Keeps the stream for the request's log line. */
export function noteStream(request: object, stream: StreamState): void {
  const record = recordOf(request);
  if (record !== undefined) record.stream = stream;
}

/** A logger that puts the ids of a request on every line. */
export function requestLogger(logger: Logger, request: object): Logger {
  const record = recordOf(request);
  return record === undefined ? logger : logger.child(idsOf(record));
}

/** The ids of a request on the lines about it. */
export function idsOf({ id: requestId, trace }: Pick<RequestRecord, 'id' | 'trace'>) {
  return { requestId, ...compact({ traceId: trace && traceIdOf(trace) }) };
}
