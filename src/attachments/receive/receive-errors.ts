import { invalidRequest, TypedError } from '../../errors/typed-error.js';

/** The client closed the connection before its request was complete; there is nobody to answer. */
export class ClientGoneError extends Error {
  override readonly name = 'AbortError';

  constructor(cause: unknown) {
    super('The client closed the connection before its request was complete', { cause });
  }
}

export function requestTooLarge(maxRequestBytes: number): TypedError {
  return new TypedError('BODY_TOO_LARGE', {
    message: `The request body is over the limit of ${maxRequestBytes} bytes. Send fewer or smaller files.`,
    details: { maxRequestBytes },
  });
}

export function fileTooLarge(name: string, maxFileBytes: number): TypedError {
  return new TypedError('FILE_TOO_LARGE', {
    message: `${name} is over the limit of ${maxFileBytes} bytes a file. Send a smaller file.`,
    details: { file: name, maxFileBytes },
  });
}

/** The reason for a file that was skipped, in the words of `refuseSize` for paths. */
export function skippedTooLarge(maxFileBytes: number): string {
  return `Attachment exceeds per-file size limit (${maxFileBytes} bytes)`;
}

export function fieldTooLarge(name: string, maxFieldBytes: number): TypedError {
  return new TypedError('BODY_TOO_LARGE', {
    message: `${name} is over the limit of ${maxFieldBytes} bytes. Send large content as a file.`,
    details: { field: name, maxFieldBytes },
  });
}

export function requestTimeout(idleMs: number): TypedError {
  return new TypedError('REQUEST_TIMEOUT', {
    message: `Nothing of the request body came for ${idleMs / 1_000} seconds. Send the request again.`,
    details: { idleMs },
    headers: { Connection: 'close' },
  });
}

/** @param known codings that the route takes, beside plain bodies. */
export function unsupportedEncoding(encoding: string, known: readonly string[]): TypedError {
  const how = known.length === 0 ? 'without Content-Encoding' : `as ${known.join(', ')} or plain`;
  return new TypedError('UNSUPPORTED_MEDIA_TYPE', {
    message: `Content-Encoding '${encoding.slice(0, 40)}' is not taken here. Send the body ${how}.`,
    headers: { 'Accept-Encoding': known.length === 0 ? 'identity' : known.join(', ') },
  });
}

export function invalidJson(): TypedError {
  return invalidRequest('Request body must be valid JSON');
}

export function documentTooDeep(): TypedError {
  return invalidRequest('Request body is nested too deeply. Send it flatter.');
}

export function tooManyValues(limit: number): TypedError {
  return invalidRequest(
    `The request body has too many values: at most ${limit} in all lists and objects`,
    { limit },
  );
}
