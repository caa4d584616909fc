import { invalidRequest, TypedError } from '../errors/typed-error.js';
import type { JsonExcess, JsonLimits } from '../platform/text/json-text.js';

/** The error of a body that a host application has read; nothing else reads one before this. */
export function bodyConsumed(): TypedError {
  return new TypedError('BODY_CONSUMED', {
    message:
      'The host application read the body before Turnpike did. Mount the handler of Turnpike before express.json() and everything else that reads bodies.',
  });
}

/** @param rules the size that a route's body may have, and the variable that it comes from. */
export function bodyTooLarge(rules: { maxBytes: number; variable: string }): TypedError {
  const { maxBytes, variable } = rules;
  return new TypedError('BODY_TOO_LARGE', {
    message: `The request body is larger than the ${maxBytes} bytes that ${variable} allows. Send large content as an attachment.`,
    details: { maxRequestBytes: maxBytes },
  });
}

/** @param factor how many times the sent size a body may inflate to. */
export function inflatesTooFar(factor: number): TypedError {
  return new TypedError('BODY_TOO_LARGE', {
    message: `The request body inflates to more than ${factor} times what was sent. Send it without Content-Encoding.`,
    details: { factor },
  });
}

/** @param bytes the window that zstd data may have. */
export function windowTooLarge(bytes: number): TypedError {
  return new TypedError('BODY_TOO_LARGE', {
    message: `The zstd data of the request body asks for a window of more than ${bytes} bytes. Send it with a smaller window, or without Content-Encoding.`,
    details: { maxWindowBytes: bytes },
  });
}

export function notInflatable(encoding: string): TypedError {
  return invalidRequest(
    `The request body is not complete ${encoding} data, although its Content-Encoding says so`,
  );
}

export function unsupportedCharset(charset: string): TypedError {
  return new TypedError('UNSUPPORTED_MEDIA_TYPE', {
    message: `The charset '${charset.slice(0, 40)}' is not supported. Send JSON in UTF-8.`,
  });
}

export function excessOf(excess: JsonExcess, limits: JsonLimits): TypedError {
  const limit = limits[excess];
  const wordings: Record<JsonExcess, string> = {
    levels: `The request body is nested too deep: at most ${limit} levels`,
    keys: `An object in the request body has too many keys: at most ${limit}`,
    values: `The request body has too many values: at most ${limit} in all lists and objects`,
  };
  return invalidRequest(wordings[excess], { limit });
}

export function notAnObject(body: unknown): TypedError {
  const kind = body === null ? 'null' : `a ${typeof body}`;
  return invalidRequest(`Request body must be a JSON object, not ${kind}`);
}

export function requestTooLarge(maxRequestBytes: number): TypedError {
  return new TypedError('BODY_TOO_LARGE', {
    message: `The request body is over the limit of ${maxRequestBytes} bytes. Send fewer or smaller files.`,
    details: { maxRequestBytes },
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
    message: `Content-Encoding '${encoding.slice(0, 40)}' is not supported here. Send the body ${how}.`,
    headers: { 'Accept-Encoding': known.length === 0 ? 'identity' : known.join(', ') },
  });
}

/** Replacing what cannot be decoded would change what the client says. */
export function notUtf8(): TypedError {
  return invalidRequest('The request body is not UTF-8. Send JSON in UTF-8.');
}

export function invalidJson(): TypedError {
  return invalidRequest('Request body must be valid JSON');
}
