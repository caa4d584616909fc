import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { turnOutcomes, type TurnOutcome } from '../../events/turn-event.js';
import { jsonObject, nullableWhole, whole } from '../../http/fields/json-schemas.js';
import { UsageDto } from '../../http/usage.dto.js';
import type { JsonObject } from '../../platform/json.js';
import { toolStatuses, type ToolStatus } from '../../storage/shapes/stored-step.js';
import { turnStatuses, type TurnStatus } from '../../storage/shapes/stored-turn.js';

/** Calls of a turn that are aligned, the first of it. */
export const MOST_ALIGNED = 500;

/** `changed`: the same tool with another input, at the same place. */
const alignedKinds = ['same', 'changed', 'onlyLeft', 'onlyRight'] as const;

export class RecordedCountDto {
  /** Calls that the recorded turn had a result of. */
  @ApiProperty(whole) hits!: number;

  /** Calls that it had none of: `NOT_RECORDED`. */
  @ApiProperty(whole) misses!: number;
}

/** A turn as it is compared. Null: not known, or not over. */
export class ComparedTurnDto {
  turnId!: string;

  sessionId!: string;

  /** The turn that it is a replay of. */
  replayOf?: string;

  @ApiProperty({ enum: turnStatuses }) status!: TurnStatus;

  model!: string;

  agent!: string;

  /** Null until the turn ends. */
  @ApiProperty({ enum: turnOutcomes, nullable: true }) outcome!: TurnOutcome | null;

  /** Reason of the end. */
  reason!: string | null;

  /** Null until the turn ends. */
  usage!: UsageDto | null;

  /** US dollars; null: no price is known. */
  costUsd!: number | null;

  /** Milliseconds from its acceptance to its start. */
  @ApiProperty(nullableWhole) queuedMs!: number | null;

  /** Milliseconds from its start to the first event of a reply. */
  @ApiProperty(nullableWhole) firstTokenMs!: number | null;

  /** Milliseconds from its start to its end. */
  @ApiProperty(nullableWhole) durationMs!: number | null;

  /** Model calls. */
  @ApiProperty(whole) steps!: number;

  /** Tool calls. */
  @ApiProperty(whole) calls!: number;

  /** Of a replay. */
  recorded?: RecordedCountDto;

  /** The reply. */
  text!: string;

  /** The object that it ended with. */
  @ApiProperty({ ...jsonObject, nullable: true }) output!: JsonObject | null;
}

export class ComparedCallDto {
  callId!: string;

  @ApiProperty(whole) step!: number;

  /** @example read */
  name!: string;

  /** As the model asked for it. */
  @ApiProperty(jsonObject) input!: JsonObject;

  /** `claimed`: it has no result. */
  @ApiProperty({ enum: ['claimed', ...toolStatuses] }) status!: 'claimed' | ToolStatus;

  /** Of a replay: whether the recorded turn had its result. */
  @ApiPropertyOptional({ enum: ['recorded', 'missed'] }) result?: 'recorded' | 'missed';
}

export class AlignedCallsDto {
  /**
   * `same`: one tool with one input; `changed`: the same tool with another input; `onlyLeft`, `onlyRight`: the other
   * turn has none here.
   */
  @ApiProperty({ enum: alignedKinds }) kind!: (typeof alignedKinds)[number];

  left?: ComparedCallDto;

  right?: ComparedCallDto;
}

/** Two turns side by side. */
export class TurnComparisonDto {
  /** The turn of the path. */
  left!: ComparedTurnDto;

  /** The turn that it is compared with. */
  right!: ComparedTurnDto;

  @ApiProperty({
    type: [AlignedCallsDto],
    description: `Tool calls side by side, the first ${MOST_ALIGNED} of each turn.`,
  })
  tools!: AlignedCallsDto[];
}
