import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import {
  jsonObject,
  MayBeAbsent,
  mustBe,
  nullableWhole,
  OneOf,
  OptionalText,
  PageDto,
  RequestForm,
  RequiredText,
  UsageDto,
  whole,
} from '../../http/face.js';
import { TurnOptionsDto } from '../../options/face.js';
import {
  replayTools,
  type ReplayTools,
  turnStatuses,
  type TurnStatus,
} from '../../storage/shapes/stored-turn.js';
import { ListedTurnDto } from '../../turn/face.js';
import { type TurnOutcome, turnOutcomes } from '../../events/face.js';
import type { JsonObject } from '../../platform/face.js';
import { toolStatuses, type ToolStatus } from '../../storage/shapes/stored-step.js';

@RequestForm({ closed: 'A replay' })
export class WantedReplayDto {
  /**
   * Model of the replay. Default: the recorded turn’s.
   *
   * @example claude-haiku-5-5
   */
  @OptionalText() model?: string;

  /**
   * Agent of the replay. Default: the recorded turn’s.
   *
   * @example WORKING_ITEMS
   */
  @OptionalText() agent?: string;

  @ApiProperty({
    type: TurnOptionsDto,
    description: 'Options that are to differ from those of the recorded turn.',
  })
  @MayBeAbsent()
  @IsObject(mustBe('an object'))
  opts?: TurnOptionsDto;

  /**
   * `recorded`, the default: a call gets the result that the recorded turn has of it. `none`: no tool may be called.
   */
  @MayBeAbsent()
  @OneOf(replayTools)
  tools?: ReplayTools;
}

export class CompareQueryDto {
  /**
   * Id of the turn to compare with.
   *
   * @example turn_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11
   */
  @RequiredText() with!: string;
}

export class ReplayDto extends ListedTurnDto {
  /** The session of the replay, which no list has. */
  sessionId!: string;

  @ApiProperty({ enum: replayTools }) tools!: ReplayTools;
}

export class ReplayPageDto extends PageDto {
  /** The newest first. */
  replays!: ReplayDto[];
}

/** Calls of a turn that are aligned, the first of it. */
export const MAX_ALIGNED_CALLS = 500;

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
    description: `Tool calls side by side, the first ${MAX_ALIGNED_CALLS} of each turn.`,
  })
  tools!: AlignedCallsDto[];
}
