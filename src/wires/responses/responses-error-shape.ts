import { ApiProperty } from '@nestjs/swagger';
import { narrowed, type ErrorShape } from '../../http/errors/error-shape.js';
import { isPlainObject } from '../../platform/json.js';
import {
  errorTypeOf,
  responseErrorTypes,
  type ResponseErrorType,
} from './dialect/response-object.js';

class ResponsesErrorDto {
  @ApiProperty({ type: String })
  message!: string;

  @ApiProperty({ enum: responseErrorTypes })
  type!: ResponseErrorType;

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
  write: ({ status, headers, body: { error } }, path) => {
    const { type: code, details, correlationId, retryable } = error;
    const message = code === 'ROUTE_NOT_FOUND' ? noRoute(path) : error.message;
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
          type: errorTypeOf(status),
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

/** Clients of this wire know other routes of OpenAI's, and try them. */
function noRoute(path: string): string {
  return `There is no route ${path.slice(0, 200)}. This server speaks the Responses API: send requests to POST /v1/responses; GET /v1/models lists the agents and models.`;
}
