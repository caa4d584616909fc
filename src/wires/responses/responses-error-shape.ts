import { ApiProperty } from '@nestjs/swagger';
import { narrowed, type ErrorShape } from '../../http/errors/error-shape.js';
import { isPlainObject } from '../../platform/json.js';

const errorTypes = ['invalid_request', 'not_found', 'too_many_requests', 'server_error'] as const;

class ResponsesErrorDto {
  @ApiProperty({ type: String })
  message!: string;

  @ApiProperty({ enum: errorTypes })
  type!: (typeof errorTypes)[number];

  @ApiProperty({ type: String, nullable: true, description: 'The field that is wrong.' })
  param!: string | null;

  @ApiProperty({ type: String, description: 'Code of the table of errors.' })
  code!: string;

  @ApiProperty({ type: String, description: 'Id of the request, for the server’s log.' })
  correlationId!: string;
}

class ResponsesErrorEnvelopeDto {
  @ApiProperty({ type: ResponsesErrorDto })
  error!: ResponsesErrorDto;
}

/** Errors as clients of the Responses API parse them. */
export const responsesShape: ErrorShape = {
  write: ({ status, headers, body: { error } }) => {
    const { type: code, message, details, correlationId, retryable } = error;
    const named = isPlainObject(details) ? details['param'] : undefined;
    return {
      status,
      headers: {
        // Clients repeat requests by their status, but for this header.
        'x-should-retry': String(retryable),
        ...headers,
        'Content-Type': 'application/json; charset=utf-8',
      },
      body: {
        error: {
          message,
          type: typeOf(status),
          param: typeof named === 'string' ? named : null,
          code,
          correlationId,
        } satisfies ResponsesErrorDto,
      },
    };
  },
  describe: ({ codes }) => {
    const error = { type: 'object', properties: { code: { enum: codes } } };
    return { 'application/json': { schema: narrowed(ResponsesErrorEnvelopeDto, { error }) } };
  },
  models: [ResponsesErrorEnvelopeDto],
};

function typeOf(status: number): ResponsesErrorDto['type'] {
  if (status === 404 || status === 410) return 'not_found';
  if (status === 429) return 'too_many_requests';
  return status < 500 ? 'invalid_request' : 'server_error';
}
