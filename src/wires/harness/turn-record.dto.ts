import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { turnStatuses, type TurnStatus } from '../../storage/shapes/stored-turn.js';

const nullableTime = { type: String, format: 'date-time', nullable: true } as const;
const anyObject = { type: Object, additionalProperties: true } as const;

class TurnRecordDto {
  @ApiProperty({ type: String })
  turnId!: string;

  @ApiProperty({ type: String })
  sessionId!: string;

  @ApiPropertyOptional({ type: String, description: "Of a subagent's turn." })
  parentTurnId?: string;

  @ApiPropertyOptional({ type: String, nullable: true, description: "Of a subagent's turn." })
  parentToolUseId?: string | null;

  @ApiProperty({ enum: turnStatuses })
  status!: TurnStatus;

  @ApiProperty({ type: 'integer', description: 'Workers that have had the turn; 0: none yet.' })
  attempt!: number;

  @ApiProperty({ ...anyObject, description: 'The options in force.' })
  options!: object;

  @ApiProperty({ ...anyObject, description: 'Where each option came from.' })
  provenance!: object;

  @ApiProperty({
    type: 'array',
    items: { type: 'object' },
    description: 'Options that were not used.',
  })
  optionProblems!: object[];

  @ApiProperty({
    ...anyObject,
    nullable: true,
    description: 'Whether and to whom the turn may delegate.',
  })
  delegation!: object | null;

  @ApiProperty({ ...anyObject, nullable: true, description: 'Null before the end.' })
  usage!: object | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: '0: completed, or met a limit; 1: failed; 130: interrupted.',
  })
  exitCode!: number | null;

  @ApiProperty({ type: String, nullable: true })
  endReason!: string | null;

  @ApiProperty({ ...anyObject, nullable: true, description: 'The error of a turn that failed.' })
  error!: object | null;

  @ApiProperty(nullableTime)
  cancelRequestedAt!: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string;

  @ApiProperty(nullableTime)
  startedAt!: string | null;

  @ApiProperty(nullableTime)
  endedAt!: string | null;

  @ApiProperty({ type: String, description: 'Where its events are.' })
  eventsUrl!: string;
}

export class OneTurnDto {
  @ApiProperty({ type: TurnRecordDto })
  turn!: TurnRecordDto;
}
