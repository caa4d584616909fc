import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { jsonObject, nullableTime, listOf, schemaOf } from '../http/fields/json-schemas.js';
import type { viewTurn } from './state/turn-row.js';
import type { JsonObject } from '../platform/json.js';
import { UsageDto } from '../http/usage.dto.js';
import type {
  OptionProblem,
  OptionProvenance,
  ResolvedOptions,
  SubagentDecision,
} from '../storage/shapes/stored-options.js';
import { turnStatuses, type TurnFailure, type TurnStatus } from '../storage/shapes/stored-turn.js';
import { TurnPlaceDto } from './turn-place.dto.js';

export class TurnRecordDto extends TurnPlaceDto implements ReturnType<typeof viewTurn> {
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

  @ApiProperty({ ...schemaOf('ResolvedOptions'), description: 'The options in force.' })
  options!: ResolvedOptions;

  @ApiProperty({ ...schemaOf('OptionProvenance'), description: 'Where each option came from.' })
  provenance!: OptionProvenance;

  @ApiProperty({
    ...listOf('OptionProblem'),
    description: 'Options that were not used.',
  })
  optionProblems!: OptionProblem[];

  @ApiProperty({
    ...schemaOf('SubagentDecision'),
    nullable: true,
    description: 'Whether and to whom the turn may delegate.',
  })
  delegation!: SubagentDecision | null;

  @ApiProperty({ type: UsageDto, nullable: true, description: 'Null before the end.' })
  usage!: UsageDto | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: '0: completed, or met a limit; 1: failed; 130: interrupted.',
  })
  exitCode!: number | null;

  @ApiProperty({ type: String, nullable: true })
  endReason!: string | null;

  @ApiProperty({
    ...schemaOf('TurnFailure'),
    nullable: true,
    description: 'The error of a turn that failed.',
  })
  error!: TurnFailure | null;

  @ApiProperty({
    ...jsonObject,
    nullable: true,
    description: 'The object that a turn was to end with, and ended with.',
  })
  output!: JsonObject | null;

  @ApiProperty(nullableTime)
  cancelRequestedAt!: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string;

  @ApiProperty(nullableTime)
  startedAt!: string | null;

  @ApiProperty(nullableTime)
  endedAt!: string | null;

  @ApiPropertyOptional({ type: String, description: 'The turn that it is a replay of.' })
  replayOf?: string;

  @ApiProperty({ type: String, description: 'Where its events are.' })
  eventsUrl!: string;
}

export class OneTurnDto {
  @ApiProperty({ type: TurnRecordDto })
  turn!: TurnRecordDto;
}
