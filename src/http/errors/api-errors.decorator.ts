import { ApiExtension, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ListedError } from '../../errors/describe-errors.js';
import { anyJson } from '../fields/json-schemas.js';
import { errorTable } from '../../errors/error-table.js';

/** Retry advice, which every error has. */
export class RetryAdviceDto {
  @ApiProperty({
    type: Boolean,
    description: 'Whether the same request, sent again unchanged, may be taken.',
  })
  retryable!: boolean;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Milliseconds to wait before that; absent where unknown.',
  })
  retryAfterMs?: number;

  @ApiPropertyOptional({
    type: String,
    example: 'req_011CSHoEeqs5C35K2UUqR7Fy',
    description: "The model provider's id of the request that failed, for its support.",
  })
  requestId?: string;
}

/** The field of every error with the id of its request. */
export const ApiCorrelationId = () =>
  ApiProperty({
    type: String,
    description: 'Id of the request: its `X-Request-Id`, which the lines of the log about it have.',
  });

class ErrorDto extends RetryAdviceDto {
  @ApiProperty({ enum: Object.keys(errorTable), description: 'Stable; branch on it.' })
  type!: string;

  @ApiProperty({ type: String, description: 'For a person: what is wrong and what to do.' })
  message!: string;

  @ApiPropertyOptional({ ...anyJson, description: 'Facts of the error, by type.' })
  details?: unknown;

  @ApiCorrelationId()
  correlationId!: string;
}

export class ErrorEnvelopeDto {
  @ApiProperty({ type: ErrorDto })
  error!: ErrorDto;
}

/** The member of an operation with the errors that its route lists, until `answerErrors` describes them. */
export const LISTED_ERRORS = 'x-errors';

/** Lists the errors of a route, beside those that any route may give. */
export const ApiErrors = (...errors: ListedError[]) => ApiExtension(LISTED_ERRORS, errors);
