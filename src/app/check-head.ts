import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';
import { repeatedHeader } from '../access/access-errors.js';
import { TypedError } from '../errors/typed-error.js';
import { envelopeShape, toPublicError } from '../http/errors/error-shape.js';
import { errorCode } from '../platform/error-code.js';

/** Most headers of a request. */
const MAX_HEADERS = 1_000;

/** Headers about the body of which Node keeps the first, and others may keep the last. */
const onceOnly = ['content-type', 'content-encoding'];

/**
 * Refuses the head of a request that a proxy before the server may read in another way. What Node's parser refuses
 * itself is answered by `answerUnreadable`.
 */
export const checkHead: RequestHandler = (request, _response, next) => {
  const { rawHeaders, headers, httpVersion } = request;
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    return next(refused(`A request may have ${MAX_HEADERS} headers; this one has more`));
  }
  if (headers.host === undefined && httpVersion !== '1.0') {
    return next(refused("The header 'host' is missing"));
  }
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'chunked') {
    return next(refused("'Transfer-Encoding' must be chunked or left out: no other is known here"));
  }
  if (encoding !== undefined && httpVersion === '1.0') {
    return next(refused("HTTP/1.0 has no 'Transfer-Encoding': send 'Content-Length'"));
  }
  const names = rawHeaders.filter((_text, index) => index % 2 === 0);
  const lower = names.map((name) => name.toLowerCase());
  const twice = onceOnly.find((name) => lower.indexOf(name) !== lower.lastIndexOf(name));
  next(twice === undefined ? undefined : repeatedHeader(twice));
};

/** What follows on the connection may be a part of the body. */
function refused(message: string): TypedError {
  return new TypedError('INVALID_REQUEST', { message, headers: { Connection: 'close' } });
}

/** Statuses of what Node's parser refuses, by its code; others are 400. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers bytes that are no request, and ends their connection: nobody knows where the next one begins. */
export function answerUnreadable(fault: Error, socket: Duplex): void {
  // An answer that has begun, a stream for one, would have this one inside of it.
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  const hasBegun = typeof answer === 'object' && answer !== null && Reflect.get(answer, '_header');
  if (!socket.writable || hasBegun) return void socket.destroy();
  const status = statuses[errorCode(fault) ?? ''] ?? 400;
  const reason: unknown = Reflect.get(fault, 'reason');
  const why = typeof reason === 'string' && reason !== '' ? reason : fault.message;
  const error = new TypedError('INVALID_REQUEST', {
    message: `The request is not valid HTTP/1.1: ${why}. The connection is closed; correct the request, then send it again.`,
    relayed: { status, retryable: false },
  });
  const { headers, body } = envelopeShape.write(toPublicError(error, randomUUID()), '');
  const text = JSON.stringify(body);
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(text) });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      ...lines.map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
      '',
      text,
    ].join('\r\n'),
  );
}
