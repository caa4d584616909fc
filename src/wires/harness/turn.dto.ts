import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsString } from 'class-validator';
import {
  dataOf,
  jsonObject,
  OptionalText,
  OptionalTexts,
  RequiredText,
  UsageDto,
  whole,
} from '../../http/face.js';
import { turnOutcomes } from '../../events/face.js';
import { TurnOptionsDto } from '../../options/face.js';
import type { TurnResult } from './dialect/harness-result.js';

export class TurnDto {
  /** Id of the session. */
  @RequiredText() sessionId!: string;

  /** The message of the user; may be empty beside an attachment. */
  @ApiProperty({ type: String })
  @IsString()
  message!: string;

  /** A `system:notice` names invalid and unknown options, which have no effect; wrong bounds are refused. */
  @ApiPropertyOptional({ type: TurnOptionsDto, example: { maxTurns: 5, mode: 'acceptEdits' } })
  @Allow()
  opts?: TurnOptionsDto;

  /** Absolute paths of files to attach. */
  @OptionalTexts() attachments?: string[];

  /** What the application says to the model beside the user: in the system prompt of this turn alone. */
  @OptionalText() instructions?: string;
}

/** A turn that has ended. */
export class TurnResultDto implements TurnResult {
  turnId!: string;
  sessionId!: string;
  /** The reply without discarded steps; of a turn that was cut off, as far as it came. */
  text!: string;
  @ApiProperty({ enum: turnOutcomes }) outcome!: TurnResult['outcome'];
  /** 0: completed, or met a limit; 1: failed; 130: interrupted. */
  @ApiProperty(whole) exitCode!: number;
  /** A stop reason, the name of a limit, who interrupted, or the type of an error. */
  reason!: string;
  @ApiProperty({ type: UsageDto }) usage!: TurnResult['usage'];
  /** Milliseconds. */
  @ApiProperty(whole) durationMs!: number;
  /** The object that a turn was to end with, and ended with. */
  @ApiPropertyOptional(jsonObject) output?: NonNullable<TurnResult['output']>;

  /** Of a failed turn: data of `turn:error`. */
  @ApiPropertyOptional({ allOf: [dataOf('HarnessFrames', 'turn:error')] })
  error?: NonNullable<TurnResult['error']>;

  /** Data of `system:notice`: `options-ignored` names options that had no effect. Absent: there were none. */
  @ApiPropertyOptional({ type: 'array', items: dataOf('HarnessFrames', 'system:notice') })
  notices?: NonNullable<TurnResult['notices']>;

  /** Data of `attachment:warning`: files that were not taken. Absent: all were. */
  @ApiPropertyOptional({ type: 'array', items: dataOf('HarnessFrames', 'attachment:warning') })
  rejectedFiles?: NonNullable<TurnResult['rejectedFiles']>;
}
