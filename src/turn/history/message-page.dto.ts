import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { time } from '../../http/fields/json-schemas.js';
import { PageDto } from '../../http/paging/page-query.dto.js';
import { ApiParts } from './message-parts.dto.js';
import { NoticeDto, StepDto } from './step-page.dto.js';
import type { MessageView } from './view-messages.js';
import type { MessagePart } from './view-steps.js';

export class MessageDto implements MessageView {
  @ApiProperty({ type: String })
  messageId!: string;

  @ApiProperty({ type: String })
  turnId!: string;

  @ApiProperty({ enum: ['user', 'assistant', 'system'] })
  role!: MessageView['role'];

  @ApiProperty({
    enum: ['active', 'complete', 'cut'],
    description: '`active` while its turn runs; `cut`: its turn ended before it was complete.',
  })
  status!: MessageView['status'];

  @ApiProperty(time)
  createdAt!: string;

  @ApiParts()
  parts!: MessagePart[];

  @ApiPropertyOptional({
    type: Boolean,
    description: 'A summary stands for the message when the model is called.',
  })
  compacted?: boolean;

  @ApiPropertyOptional({
    type: String,
    description:
      'The turn that took the place of its turn, or of one before. Absent: it is in the conversation.',
  })
  supersededBy?: string;

  @ApiPropertyOptional({
    enum: ['refused', 'too-long', 'declined'],
    description:
      'The model is not sent the message: the provider refused the request with it, it is too long, or the model declined to answer it. Absent: the model gets it.',
  })
  leftOut?: NonNullable<MessageView['leftOut']>;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'The step after which a steered message was delivered; absent on others.',
  })
  afterStep?: number;

  @ApiPropertyOptional({
    type: NoticeDto,
    description: 'What a `system` message says, with its facts; absent on others.',
  })
  notice?: NoticeDto;

  @ApiPropertyOptional({
    type: [StepDto],
    description: 'Model calls that an assistant’s message consists of, in order.',
  })
  steps?: StepDto[];
}

export class MessagePageDto extends PageDto {
  @ApiProperty({ type: [MessageDto], description: 'Oldest first.' })
  messages!: MessageDto[];
}
