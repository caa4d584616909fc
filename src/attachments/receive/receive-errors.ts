import { invalidRequest, TypedError } from '../../errors/typed-error.js';

export function fileTooLarge(name: string, maxFileBytes: number): TypedError {
  return new TypedError('FILE_TOO_LARGE', {
    message: `${name} is over the limit of ${maxFileBytes} bytes a file. Send a smaller file.`,
    details: { file: name, maxFileBytes },
  });
}

export function fieldTooLarge(name: string, maxFieldBytes: number): TypedError {
  return new TypedError('BODY_TOO_LARGE', {
    message: `${name} is over the limit of ${maxFieldBytes} bytes. Send large content as a file.`,
    details: { field: name, maxFieldBytes },
  });
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
