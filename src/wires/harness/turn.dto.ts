import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsString } from 'class-validator';
import { jsonObject } from '../../http/fields/json-schemas.js';
import { OptionalTexts, RequiredText } from '../../http/fields/field-rules.decorator.js';
import { turnOutcomes } from '../../events/turn-event.js';
import { dataOf } from '../../http/streams/api-stream.decorator.js';
import { UsageDto } from '../../http/usage.dto.js';
import { TurnOptionsDto } from '../../options/turn-options.dto.js';
import type { CancelState } from '../../turn/lifecycle/turn-canceller.js';
import type { TurnResult } from './dialect/harness.js';

export class TurnDto {
  @RequiredText('Id of the session.')
  sessionId!: string;

  @ApiProperty({
    type: String,
    description: 'The message of the user; may be empty beside an attachment.',
  })
  @IsString()
  message!: string;

  @ApiPropertyOptional({
    type: TurnOptionsDto,
    description: 'Invalid and unknown options are not used, and a `system:notice` says so.',
    example: { maxTurns: 5, mode: 'acceptEdits' },
  })
  @Allow()
  opts?: TurnOptionsDto;

  @OptionalTexts('Absolute paths of files to attach.')
  attachments?: string[];
}

export class InterruptDto {
  @RequiredText('Id of the session whose turn is to end.')
  sessionId!: string;
}

export class InterruptedDto {
  @ApiProperty({ type: Boolean, enum: [true] })
  ok!: true;

  @ApiProperty({ type: String, description: 'The turn that was asked to end.' })
  turnId!: string;

  @ApiProperty({
    enum: ['ended', 'running', 'in-tool'],
    description:
      'Where it was: `ended` had not begun, and has ended; `running` and `in-tool` end shortly, on their stream.',
  })
  state!: CancelState;
}

export class OkDto {
  @ApiProperty({ type: Boolean, enum: [true] })
  ok!: true;
}

/** A turn that has ended. */
export class TurnResultDto implements TurnResult {
  @ApiProperty({ type: String })
  turnId!: string;

  @ApiProperty({ type: String })
  sessionId!: string;

  @ApiProperty({
    type: String,
    description:
      'The reply without discarded steps; of a turn that was cut off, as far as it came.',
  })
  text!: string;

  @ApiProperty({ enum: turnOutcomes })
  outcome!: TurnResult['outcome'];

  @ApiProperty({
    type: 'integer',
    description: '0: completed, or met a limit; 1: failed; 130: interrupted.',
  })
  exitCode!: number;

  @ApiProperty({
    type: String,
    description: 'A stop reason, the name of a limit, who interrupted, or the type of an error.',
  })
  reason!: string;

  @ApiProperty({ type: UsageDto })
  usage!: TurnResult['usage'];

  @ApiProperty({ type: 'integer', description: 'Milliseconds.' })
  durationMs!: number;

  @ApiPropertyOptional({
    ...jsonObject,
    description: 'The object that a turn was to end with, and ended with.',
  })
  output?: NonNullable<TurnResult['output']>;

  @ApiPropertyOptional({
    allOf: [dataOf('HarnessFrames', 'turn:error')],
    description: 'Of a failed turn: data of `turn:error`.',
  })
  error?: NonNullable<TurnResult['error']>;

  @ApiPropertyOptional({
    type: 'array',
    items: dataOf('HarnessFrames', 'system:notice'),
    description:
      'Data of `system:notice`: `options-ignored` names options that had no effect. Absent: there were none.',
  })
  notices?: NonNullable<TurnResult['notices']>;

  @ApiPropertyOptional({
    type: 'array',
    items: dataOf('HarnessFrames', 'attachment:warning'),
    description: 'Data of `attachment:warning`: files that were not taken. Absent: all were.',
  })
  rejectedFiles?: NonNullable<TurnResult['rejectedFiles']>;
}
