import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import { printJson } from '../platform/exact-json.js';
import { recordOf, sentOf, type Sent } from './request-record.js';

/** A request as one of several tries: its client may send it again by itself, without an `Idempotency-Key`. */
export interface RequestTry {
  /** Number of tries before this one; undefined: the client does not number them. */
  readonly number: number | undefined;
  /** Digest of what was sent, and of where to: 32 hex digits, equal for each try. Undefined: the body is not read yet. */
  digest(): string | undefined;
  /** Says what was sent, where the route reads the body itself. */
  receive(body: object): void;
  /** Whether its client numbers tries, and left before the end of the answer: it sends another, or gave up. */
  isAbandoned(): boolean;
  /** Calls when the answer is over, with how much of it was sent. */
  onAnswered(take: (sent: Sent) => void): void;
}

/** Headers by which clients and proxies number the tries of a request, each with the number of the first one. */
const numberings: readonly (readonly [header: string, first: number, form: RegExp])[] = [
  // Packages that Stainless generates: `openai`, `@anthropic-ai/sdk`.
  ['x-stainless-retry-count', 0, /^(\d{1,4})$/],
  // Clients of Kiota, which leave it out the first time.
  ['retry-attempt', 0, /^(\d{1,4})$/],
  ['x-envoy-attempt-count', 1, /^(\d{1,4})$/],
  // Clients of Smithy, as AWS has them.
  ['amz-sdk-request', 1, /(?:^|[;\s])attempt=(\d{1,4})(?:$|[;\s])/],
];

/** The number of tries before this one, by its headers; undefined: none of them says. Pure. */
export function triesBefore(headers: IncomingHttpHeaders): number | undefined {
  const numbers = numberings.flatMap(([header, first, form]) => {
    const [, digits] = form.exec(String(headers[header] ?? '')) ?? [];
    return digits === undefined ? [] : [Math.max(Number(digits) - first, 0)];
  });
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

/** @returns undefined for a request that begins nothing. */
export function requestTryOf(request: Request): RequestTry | undefined {
  const { method, path, headers, res } = request;
  let body: unknown = request.body;
  if (method !== 'POST' || res === undefined) return undefined;
  const number = triesBefore(headers);
  let digest: string | undefined;
  return {
    number,
    digest: () => {
      if (body !== undefined) digest ??= digestOf(`${method} ${path}`, body);
      return digest;
    },
    receive: (received) => (body = received),
    isAbandoned: () => number !== undefined && res.closed && !res.writableFinished,
    onAnswered: (take) => {
      const record = recordOf(request);
      if (res.closed || record === undefined) take(sentOf(res));
      // With the log's listener: Node warns of more than ten, and streams have as many.
      else (record.answered ??= []).push(take);
    },
  };
}

function digestOf(place: string, body: unknown): string {
  const hash = createHash('sha256').update(`${place}\n`).update(printJson(body));
  return hash.digest('hex').slice(0, 32);
}
