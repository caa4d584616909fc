import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiResponse } from '@nestjs/swagger';
import { describeErrors, type ListedError } from '../errors/describe-errors.js';

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

class ErrorDto extends RetryAdviceDto {
  @ApiProperty({ type: String, example: 'SESSION_NOT_FOUND', description: 'Stable; branch on it.' })
  type!: string;

  @ApiProperty({ type: String, description: 'For a person: what is wrong and what to do.' })
  message!: string;

  @ApiPropertyOptional({ type: Object, description: 'Facts of the error, by type.' })
  details?: unknown;
}

export class ErrorEnvelopeDto {
  @ApiProperty({ type: ErrorDto })
  error!: ErrorDto;
}

/** Documents the errors of a route, beside those of every route. */
export function ApiErrors(...errors: ListedError[]) {
  return applyDecorators(
    ...describeErrors(errors).map((answer) => ApiResponse({ ...answer, type: ErrorEnvelopeDto })),
  );
}
