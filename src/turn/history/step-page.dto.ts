import { ApiProperty } from '@nestjs/swagger';
import { anyJson, time } from '../../http/fields/json-schemas.js';
import { PageDto } from '../../http/paging/page-query.dto.js';
import { UsageDto } from '../../http/usage.dto.js';
import { stepStopReasons, type StepStopReason } from '../../storage/shapes/stored-step.js';
import { ApiParts } from './message-parts.dto.js';
import type { MessagePart, NoticeView, StepView } from './view-steps.js';

export class NoticeDto implements NoticeView {
  @ApiProperty({ type: String })
  kind!: string;

  @ApiProperty({ type: String })
  text!: string;

  @ApiProperty({ ...anyJson, description: 'Facts of the notice, by kind; null where it has none.' })
  metadata!: unknown;

  @ApiProperty({ type: Boolean, description: 'Whether the model got it, too.' })
  seenByModel!: boolean;
}

export class StepDto implements StepView {
  @ApiProperty({ type: String })
  stepId!: string;

  @ApiProperty({ type: 'integer', description: 'From 1.' })
  step!: number;

  @ApiProperty({ enum: ['completed', 'abort', 'error'] })
  status!: StepView['status'];

  @ApiProperty({ enum: stepStopReasons })
  stopReason!: StepStopReason;

  @ApiProperty({ type: UsageDto })
  usage!: UsageDto;

  @ApiProperty(time)
  startedAt!: string;

  @ApiProperty(time)
  endedAt!: string;

  @ApiParts()
  parts!: MessagePart[];

  @ApiProperty({
    type: [NoticeDto],
    description: 'After this step and before the next, to the model or to the client.',
  })
  notices!: NoticeDto[];
}

export class StepPageDto extends PageDto {
  @ApiProperty({ type: [StepDto], description: 'In order.' })
  steps!: StepDto[];
}
