import { ApiProperty } from '@nestjs/swagger';
import { anyJson, nullableText, nullableTime, time } from '../../http/fields/json-schemas.js';
import { PageDto } from '../../http/paging/page-query.dto.js';
import { toolStatuses } from '../../storage/shapes/stored-step.js';
import type { CallView } from './list-calls.js';

export class CallDto implements CallView {
  @ApiProperty({ type: String })
  callId!: string;

  @ApiProperty({ type: 'integer' })
  step!: number;

  @ApiProperty({ type: 'integer', description: 'The attempt whose worker claimed the call.' })
  attempt!: number;

  @ApiProperty({ type: String, example: 'read' })
  name!: string;

  @ApiProperty(anyJson)
  input!: unknown;

  @ApiProperty({
    enum: ['claimed', ...toolStatuses],
    description: '`claimed`: it may be running, or its worker died; every other status is final.',
  })
  status!: CallView['status'];

  @ApiProperty({
    ...nullableText,
    description: 'Result as the model has it; null while it is not known.',
  })
  output!: string | null;

  @ApiProperty({ type: 'integer', nullable: true })
  durationMs!: number | null;

  @ApiProperty({
    enum: ['safe', 'idempotent', 'never'],
    nullable: true,
    description:
      'Whether the call is repeated when its outcome is lost; null: the server has no such tool.',
  })
  retry!: CallView['retry'];

  @ApiProperty(time)
  claimedAt!: string;

  @ApiProperty(nullableTime)
  endedAt!: string | null;
}

export class CallPageDto extends PageDto {
  @ApiProperty({ type: [CallDto], description: 'In the order of the steps.' })
  calls!: CallDto[];
}
