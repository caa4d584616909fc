import { randomUUID } from 'node:crypto';
import type { TypedError } from '../errors/typed-error.js';

/** Facts about a request beside its content. One object for each request. */
export interface RequestRecord {
  /** The id in the request's log lines, and in `X-Request-Id` of its answer. */
  readonly id: string;
  /** The error that answered the request; absent: none. */
  refusal?: { type: string; message: string };
}

/** Valid ids, as gateways make them: other text does not get into logs and headers. */
const goodId = /^[\w.:+/=-]{1,128}$/;

const records = new WeakMap<object, RequestRecord>();

/** @param given the id that came with the request; an invalid id is replaced. */
export function openRecord(request: object, given: string | undefined): RequestRecord {
  const id = given !== undefined && goodId.test(given) ? given : randomUUID();
  const record: RequestRecord = { id };
  records.set(request, record);
  return record;
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
