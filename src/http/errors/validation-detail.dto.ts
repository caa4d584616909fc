import { ApiProperty } from '@nestjs/swagger';
import { ApiCorrelationId } from './api-errors.decorator.js';

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
