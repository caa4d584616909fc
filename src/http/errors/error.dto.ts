import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { errorTable } from '../../errors/error-table.js';
import { anyJson, whole } from '../fields/json-schemas.js';

/** Retry advice, which every error has. */
export class RetryAdviceDto {
  /** Whether the same request, sent again unchanged, may be taken. */
  retryable!: boolean;
  /** Milliseconds to wait before that; absent where unknown. */
  @ApiPropertyOptional(whole) retryAfterMs?: number;

  /**
   * The model provider's id of the request that failed, for its support.
   *
   * @example req_011CSHoEeqs5C35K2UUqR7Fy
   */
  requestId?: string;
}

/** The field of every error with the id of its request. */
export const ApiCorrelationId = () =>
  ApiProperty({
    type: String,
    description: 'Id of the request: its `X-Request-Id`, which the lines of the log about it have.',
  });

/** An error of any route but those of wires with errors of their own. */
export class ErrorDto extends RetryAdviceDto {
  /** Stable; branch on it. */
  @ApiProperty({ enum: Object.keys(errorTable) }) type!: string;
  /** For a person: what is wrong and what to do. */
  message!: string;
  /** Facts of the error, by type. */
  @ApiPropertyOptional(anyJson) details?: unknown;
  @ApiCorrelationId() correlationId!: string;
}

export class ErrorEnvelopeDto {
  error!: ErrorDto;
}

export class ValidationProblemDto {
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    example: ['body', 'max_iterations'],
  })
  loc!: (string | number)[];

  /** For a person: the field, and what it may be. */
  msg!: string;

  /**
   * As pydantic names it.
   *
   * @example less_than_equal
   */
  type!: string;
}

export class ValidationDetailDto {
  /** One entry per wrong field. */
  detail!: ValidationProblemDto[];
  @ApiCorrelationId() correlationId!: string;
}
