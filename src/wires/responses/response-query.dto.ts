import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsString, Min } from 'class-validator';
import { EmptyIsAbsent } from '../../http/fields/field-rules.decorator.js';
import { mustBe } from '../../http/fields/field-words.js';
import { AfterQueryDto } from '../../http/paging/after-query.dto.js';
import { PageLimit } from '../../http/paging/page-query.dto.js';
import { RequestForm } from '../../http/request-form.decorator.js';

const flags = ['true', 'false'] as const;
const orders = ['asc', 'desc'] as const;
const aNumber = mustBe('the sequence_number of an event');

/** The query of `GET /v1/responses/:id`. */
@RequestForm({ namesParam: true })
export class ResponseQueryDto extends AfterQueryDto {
  @ApiPropertyOptional({ enum: flags, description: 'Whether the answer is a stream of events.' })
  @EmptyIsAbsent()
  @IsIn(flags, mustBe('true or false'))
  stream?: (typeof flags)[number];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description:
      'The stream begins after the event of this sequence_number. Absent: with the first.',
  })
  @EmptyIsAbsent()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? Number(value) : value))
  @IsInt(aNumber)
  @Min(0, aNumber)
  starting_after?: number;
}

/** The query of `GET /v1/responses/:id/input_items`. */
@RequestForm({ namesParam: true })
export class InputItemsQueryDto {
  @ApiPropertyOptional({ type: String, description: 'The id of the last item of the page before.' })
  @EmptyIsAbsent()
  @IsString(mustBe('the id of an item'))
  after?: string;

  @PageLimit({ standard: 20, most: 100 })
  limit = 20;

  @ApiPropertyOptional({ enum: orders, default: 'desc' })
  @EmptyIsAbsent()
  @IsIn(orders, mustBe("'asc' or 'desc'"))
  order: (typeof orders)[number] = 'desc';
}

export class ResponseIdDto {
  @ApiProperty({
    type: String,
    description: 'Id of the response.',
    example: 'resp_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11',
  })
  @IsString()
  id!: string;
}
