import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { UIMessage } from 'ai';
import { jsonObject, nullableText, time } from '../../http/fields/json-schemas.js';
import { PageDto } from '../../http/paging/page-query.dto.js';
import type { ChatPage, ListedChat } from './chat-history.js';

export class UiMessageDto implements UIMessage {
  @ApiProperty({ type: String, description: 'Of a user’s message: the client’s own.' })
  id!: string;

  @ApiProperty({ enum: ['user', 'assistant', 'system'] })
  role!: UIMessage['role'];

  @ApiPropertyOptional({
    ...jsonObject,
    description:
      'sessionId, turnId, createdAt; of an answer also agent, model, and at its end outcome, reason, usage; `error` where it failed.',
  })
  metadata?: unknown;

  @ApiProperty({
    type: 'array',
    items: jsonObject,
    description:
      'Parts as the stream’s client folds them. A user’s files are `file`: name, mimeType, size.',
  })
  parts!: UIMessage['parts'];
}

export class ChatPageDto implements ChatPage {
  @ApiProperty({ type: [UiMessageDto], description: 'Oldest first.' })
  messages!: UIMessage[];

  @ApiProperty({
    ...nullableText,
    description:
      'The turn to follow by `GET /api/chat/{id}/stream`. Null: no turn is open, or it waits for the approvals in its message.',
  })
  activeTurnId!: string | null;

  @ApiPropertyOptional({
    type: String,
    description: 'Page token: the `before` of the messages before these. Absent at the beginning.',
  })
  before?: string;
}

export class ListedChatDto implements ListedChat {
  @ApiProperty({ type: String, description: 'The client’s own; of older chats, the session’s.' })
  id!: string;

  @ApiProperty({ type: String })
  sessionId!: string;

  @ApiProperty({ type: String, description: 'The agent of the chat.' })
  agent!: string;

  @ApiPropertyOptional({
    type: String,
    description: 'The beginning of the first message, on one line of at most 80 characters.',
  })
  title?: string;

  @ApiProperty(time)
  createdAt!: string;

  @ApiProperty({ ...time, description: 'Its last use.' })
  updatedAt!: string;

  @ApiProperty({ ...nullableText, description: 'The turn that runs, or waits for an answer.' })
  activeTurnId!: string | null;
}

export class ChatListDto extends PageDto {
  @ApiProperty({ type: [ListedChatDto], description: 'The one used last first.' })
  chats!: ListedChatDto[];
}
