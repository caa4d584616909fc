import { ApiProperty } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import {
  MayBeAbsent,
  OneOf,
  OptionalText,
  RequiredText,
} from '../../http/fields/field-rules.decorator.js';
import { mustBe } from '../../http/fields/field-words.js';
import { PageDto } from '../../http/paging/page-query.dto.js';
import { RequestForm } from '../../http/request-form.decorator.js';
import { TurnOptionsDto } from '../../options/turn-options.dto.js';
import { replayTools, type ReplayTools } from '../../storage/shapes/stored-turn.js';
import { ListedTurnDto } from '../history/history.dto.js';

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
