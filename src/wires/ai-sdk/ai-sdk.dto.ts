import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsIn, IsNotEmpty, IsString } from 'class-validator';
import type { UIMessage } from 'ai';
import {
  jsonObject,
  jsonObjects,
  MayBeAbsent,
  MayBeNull,
  mustBe,
  PageDto,
  PageLimit,
  PageToken,
  Rule,
  says,
  time,
} from '../../http/face.js';
import { isPlainObject } from '../../platform/face.js';

const triggers = ['submit-message', 'regenerate-message'] as const;
const noId = says("'$field' is missing or not text: send the id of the chat");
const filled = mustBe('text that is not empty, or left out');

/** What a chat request has beside its messages, which the package's own schema checks (`checkMessages`). */
export class ChatDto {
  /** The client’s own, or a session’s id. */
  @ApiProperty({ type: String, maxLength: 256 })
  @IsString(noId)
  @IsNotEmpty(noId)
  id!: string;

  /**
   * UI messages. Read are the user messages after the last assistant message, or the answers in the last assistant
   * message; what came before is read where the server does not have the chat, and may be left out. Messages of
   * `system` are instructions of the turn.
   */
  @ApiProperty(jsonObjects) messages!: object[];

  @ApiPropertyOptional({ enum: triggers })
  @MayBeAbsent()
  @IsIn(triggers, mustBe(`one of ${triggers.join(', ')}`))
  trigger: (typeof triggers)[number] = 'submit-message';

  /** Of a message that was edited, or of an answer that is to be made again. */
  @ApiPropertyOptional({ type: String })
  @Allow()
  messageId?: unknown;

  /** Who answers. Default: the server’s persona. */
  @MayBeNull()
  @IsString(filled)
  @IsNotEmpty(filled)
  agent?: string;

  /** Folder that a new chat works in. Default: the server’s. */
  @MayBeNull()
  @IsString(filled)
  @IsNotEmpty(filled)
  projectRoot?: string;

  @ApiPropertyOptional({ ...jsonObject, description: 'As `opts` of `POST /api/harness/turn`.' })
  @MayBeAbsent()
  @Rule('isObject', isPlainObject, mustBe('an object'))
  opts: Record<string, unknown> = {};

  /** Tools that the client runs: name, description, inputSchema. */
  @ApiPropertyOptional(jsonObjects)
  @Allow()
  clientTools?: unknown;
}

export class UiMessageDto implements UIMessage {
  /** Of a user’s message: the client’s own. */
  id!: string;

  @ApiProperty({ enum: ['user', 'assistant', 'system'] }) role!: UIMessage['role'];

  /**
   * sessionId, turnId, createdAt; of an answer also agent, model, and at its end outcome, reason, usage; `error` where it failed.
   */
  @ApiPropertyOptional(jsonObject) metadata?: unknown;

  /** Parts as the stream’s client folds them. A user’s files are `file`: name, mimeType, size. */
  @ApiProperty({ type: 'array', items: jsonObject }) parts!: UIMessage['parts'];
}

/** A chat as a page loads it. */
export class ChatPageDto {
  /** Oldest first. */
  @ApiProperty({ type: [UiMessageDto] }) messages!: UIMessage[];

  /**
   * The turn to follow by `GET /api/chat/{id}/stream`. Null: no turn is open, or it waits for the approvals in its message.
   */
  activeTurnId!: string | null;

  /** Page token: the `before` of the messages before these. Absent at the beginning. */
  before?: string;
}

export class ListedChatDto {
  /** The client’s own; of older chats, the session’s. */
  id!: string;

  sessionId!: string;

  /** The agent of the chat. */
  agent!: string;

  /** The beginning of the first message, on one line of at most 80 characters. */
  title?: string;

  @ApiProperty(time) createdAt!: string;

  /** Its last use. */
  @ApiProperty(time) updatedAt!: string;

  /** The turn that runs, or waits for an answer. */
  activeTurnId!: string | null;
}

export class ChatListDto extends PageDto {
  /** The one used last first. */
  chats!: ListedChatDto[];
}

export class ChatPageQueryDto {
  @PageToken('`before` of the page after.') before?: string | undefined;

  /** Turns: their events are read to the last. */
  @PageLimit({ standard: 20, most: 100 }) limit = 20;
}
