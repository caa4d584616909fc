import { ApiProperty } from '@nestjs/swagger';
import { anyJson, time, whole } from '../../http/fields/json-schemas.js';
import { PageDto } from '../../http/paging/page-query.dto.js';
import { UsageDto } from '../../http/usage.dto.js';
import { stepStopReasons, type StepStopReason } from '../../storage/shapes/stored-step.js';
import { ApiParts } from './message-parts.dto.js';
import type { MessagePart, NoticeView, StepView } from './view-steps.js';

export class NoticeDto implements NoticeView {
  kind!: string;

  text!: string;

  /** Facts of the notice, by kind; null where it has none. */
  @ApiProperty(anyJson)
  metadata!: unknown;

  /** Whether the model got it, too. */
  seenByModel!: boolean;
}

export class StepDto implements StepView {
  stepId!: string;

  /** From 1. */
  @ApiProperty(whole)
  step!: number;

  @ApiProperty({ enum: ['completed', 'abort', 'error'] })
  status!: StepView['status'];

  @ApiProperty({ enum: stepStopReasons })
  stopReason!: StepStopReason;

  usage!: UsageDto;

  @ApiProperty(time)
  startedAt!: string;

  @ApiProperty(time)
  endedAt!: string;

  @ApiParts()
  parts!: MessagePart[];

  /** After this step and before the next, to the model or to the client. */
  notices!: NoticeDto[];
}

export class StepPageDto extends PageDto {
  /** In order. */
  steps!: StepDto[];
}
