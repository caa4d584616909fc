import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { turnOutcomes, type TurnOutcome } from '../../events/turn-event.js';
import { jsonObject, nullableText } from '../../http/fields/json-schemas.js';
import { UsageDto } from '../../http/usage.dto.js';
import type { JsonObject } from '../../platform/json.js';
import { toolStatuses } from '../../storage/shapes/stored-step.js';
import { turnStatuses, type TurnStatus } from '../../storage/shapes/stored-turn.js';
import {
  alignedKinds,
  type AlignedCalls,
  type ComparedCall,
  MOST_ALIGNED,
  type ComparedTurn,
  type TurnComparison,
} from './compare-turns.js';

const milliseconds = { type: 'integer', nullable: true } as const;

export class RecordedCountDto implements NonNullable<ComparedTurn['recorded']> {
  @ApiProperty({ type: 'integer', description: 'Calls that the recorded turn had a result of.' })
  hits!: number;

  @ApiProperty({ type: 'integer', description: 'Calls that it had none of: `NOT_RECORDED`.' })
  misses!: number;
}

export class ComparedTurnDto implements ComparedTurn {
  @ApiProperty({ type: String })
  turnId!: string;

  @ApiProperty({ type: String })
  sessionId!: string;

  @ApiPropertyOptional({ type: String, description: 'The turn that it is a replay of.' })
  replayOf?: string;

  @ApiProperty({ enum: turnStatuses })
  status!: TurnStatus;

  @ApiProperty({ type: String })
  model!: string;

  @ApiProperty({ type: String })
  agent!: string;

  @ApiProperty({ enum: turnOutcomes, nullable: true, description: 'Null until the turn ends.' })
  outcome!: TurnOutcome | null;

  @ApiProperty({ ...nullableText, description: 'Reason of the end.' })
  reason!: string | null;

  @ApiProperty({ type: UsageDto, nullable: true, description: 'Null until the turn ends.' })
  usage!: UsageDto | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'US dollars; null: no price is known.',
  })
  costUsd!: number | null;

  @ApiProperty({ ...milliseconds, description: 'Milliseconds from its acceptance to its start.' })
  queuedMs!: number | null;

  @ApiProperty({
    ...milliseconds,
    description: 'Milliseconds from its start to the first event of a reply.',
  })
  firstTokenMs!: number | null;

  @ApiProperty({ ...milliseconds, description: 'Milliseconds from its start to its end.' })
  durationMs!: number | null;

  @ApiProperty({ type: 'integer', description: 'Model calls.' })
  steps!: number;

  @ApiProperty({ type: 'integer', description: 'Tool calls.' })
  calls!: number;

  @ApiPropertyOptional({ type: RecordedCountDto, description: 'Of a replay.' })
  recorded?: RecordedCountDto;

  @ApiProperty({ type: String, description: 'The reply.' })
  text!: string;

  @ApiProperty({ ...jsonObject, nullable: true, description: 'The object that it ended with.' })
  output!: JsonObject | null;
}

export class ComparedCallDto implements ComparedCall {
  @ApiProperty({ type: String })
  callId!: string;

  @ApiProperty({ type: 'integer' })
  step!: number;

  @ApiProperty({ type: String, example: 'read' })
  name!: string;

  @ApiProperty({ ...jsonObject, description: 'As the model asked for it.' })
  input!: JsonObject;

  @ApiProperty({
    enum: ['claimed', ...toolStatuses],
    description: '`claimed`: it has no result.',
  })
  status!: ComparedCall['status'];

  @ApiPropertyOptional({
    enum: ['recorded', 'missed'],
    description: 'Of a replay: whether the recorded turn had its result.',
  })
  result?: 'recorded' | 'missed';
}

export class AlignedCallsDto implements AlignedCalls {
  @ApiProperty({
    enum: alignedKinds,
    description:
      '`same`: one tool with one input; `changed`: the same tool with another input; `onlyLeft`, `onlyRight`: the other turn has none here.',
  })
  kind!: AlignedCalls['kind'];

  @ApiPropertyOptional({ type: ComparedCallDto })
  left?: ComparedCallDto;

  @ApiPropertyOptional({ type: ComparedCallDto })
  right?: ComparedCallDto;
}

export class TurnComparisonDto implements TurnComparison {
  @ApiProperty({ type: ComparedTurnDto, description: 'The turn of the path.' })
  left!: ComparedTurnDto;

  @ApiProperty({ type: ComparedTurnDto, description: 'The turn that it is compared with.' })
  right!: ComparedTurnDto;

  @ApiProperty({
    type: [AlignedCallsDto],
    description: `Tool calls side by side, the first ${MOST_ALIGNED} of each turn.`,
  })
  tools!: AlignedCallsDto[];
}
