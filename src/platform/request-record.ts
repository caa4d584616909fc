import { randomUUID } from 'node:crypto';
import type { TypedError } from './typed-error.js';

/** What is known of a request beside what it says: one object for it, wherever it is looked at. */
export interface RequestRecord {
  /** On every line of the log about it, and in `X-Request-Id` of its answer. */
  readonly id: string;
  /** The error it was answered with; undefined: none. */
  refusal?: { type: string; message: string };
}

/** As gateways make them; of other texts none is repeated into logs and headers. */
const goodId = /^[\w.:+/=-]{1,128}$/;

const records = new WeakMap<object, RequestRecord>();

/** @param given by who sent it; one that is no id is not used. */
export function openRecord(request: object, given: string | undefined): RequestRecord {
  const id = given !== undefined && goodId.test(given) ? given : randomUUID();
  const record: RequestRecord = { id };
  records.set(request, record);
  return record;
}

/** Undefined for a request that no record was opened for: one of a test, without what is before routes. */
export function recordOf(request: object): RequestRecord | undefined {
  return records.get(request);
}

/** For the line of the log about the request. */
export function noteRefusal(request: object, { type, message }: TypedError): void {
  const record = recordOf(request);
  if (record !== undefined) record.refusal = { type, message };
}
