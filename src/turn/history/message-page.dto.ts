import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { time, whole } from '../../http/fields/json-schemas.js';
import { PageDto } from '../../http/paging/page-query.dto.js';
import { ApiParts } from './message-parts.dto.js';
import { NoticeDto, StepDto } from './step-page.dto.js';
import type { MessageView } from './view-messages.js';
import type { MessagePart } from './view-steps.js';

export class MessageDto implements MessageView {
  messageId!: string;

  turnId!: string;

  @ApiProperty({ enum: ['user', 'assistant', 'system'] })
  role!: MessageView['role'];

  /** `active` while its turn runs; `cut`: its turn ended before it was complete. */
  @ApiProperty({ enum: ['active', 'complete', 'cut'] })
  status!: MessageView['status'];

  @ApiProperty(time)
  createdAt!: string;

  @ApiParts()
  parts!: MessagePart[];

  /** A summary stands for the message when the model is called. */
  compacted?: boolean;

  /** The turn that took the place of its turn, or of one before. Absent: it is in the conversation. */
  supersededBy?: string;

  /**
   * The model is not sent the message: the provider refused the request with it, it is too long, or the model
   * declined to answer it. Absent: the model gets it.
   */
  @ApiPropertyOptional({ enum: ['refused', 'too-long', 'declined'] })
  leftOut?: NonNullable<MessageView['leftOut']>;

  /** The step after which a steered message was delivered; absent on others. */
  @ApiPropertyOptional(whole)
  afterStep?: number;

  /** What a `system` message says, with its facts; absent on others. */
  notice?: NoticeDto;

  /** Model calls that an assistant’s message consists of, in order. */
  steps?: StepDto[];
}

export class MessagePageDto extends PageDto {
  /** Oldest first. */
  messages!: MessageDto[];
}
