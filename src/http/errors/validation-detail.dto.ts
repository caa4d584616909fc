import { ApiProperty } from '@nestjs/swagger';
import { ApiCorrelationId } from './api-errors.decorator.js';

export class ValidationProblemDto {
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    example: ['body', 'max_iterations'],
  })
  loc!: (string | number)[];

  @ApiProperty({ type: String, description: 'For a person: the field, and what it may be.' })
  msg!: string;

  @ApiProperty({ type: String, example: 'less_than_equal', description: 'As pydantic names it.' })
  type!: string;
}

export class ValidationDetailDto {
  @ApiProperty({ type: [ValidationProblemDto], description: 'One entry per wrong field.' })
  detail!: ValidationProblemDto[];

  @ApiCorrelationId()
  correlationId!: string;
}
