import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsIn, IsNotEmpty, IsString } from 'class-validator';
import { MayBeAbsent, MayBeNull, Rule } from '../../http/fields/field-rules.decorator.js';
import { mustBe, says } from '../../http/fields/field-words.js';
import { jsonObject, jsonObjects } from '../../http/fields/json-schemas.js';
import { isPlainObject } from '../../platform/json.js';

const triggers = ['submit-message', 'regenerate-message'] as const;
const noId = says("'$field' is missing or no text: send the id of the chat");
const filled = mustBe('text that is not empty, or left out');

/** What a chat request has beside its messages, which the package's own schema checks (`checkMessages`). */
export class ChatDto {
  @ApiProperty({
    type: String,
    maxLength: 256,
    description: 'The client’s own, or a session’s id.',
  })
  @IsString(noId)
  @IsNotEmpty(noId)
  id!: string;

  @ApiProperty({
    ...jsonObjects,
    description:
      'UI messages. Read are the user messages after the last assistant message, or the answers in the last assistant message; what came before is read where the server does not have the chat, and may be left out. Messages of `system` are instructions of the turn.',
  })
  messages!: object[];

  @ApiPropertyOptional({ enum: triggers })
  @MayBeAbsent()
  @IsIn(triggers, mustBe(`one of ${triggers.join(', ')}`))
  trigger: (typeof triggers)[number] = 'submit-message';

  @ApiPropertyOptional({
    type: String,
    description: 'Of a message that was edited, or of an answer that is to be made again.',
  })
  @Allow()
  messageId?: unknown;

  @ApiPropertyOptional({ type: String, description: 'Who answers. Default: the server’s persona.' })
  @MayBeNull()
  @IsString(filled)
  @IsNotEmpty(filled)
  agent?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'Folder that a new chat works in. Default: the server’s.',
  })
  @MayBeNull()
  @IsString(filled)
  @IsNotEmpty(filled)
  projectRoot?: string;

  @ApiPropertyOptional({ ...jsonObject, description: 'As `opts` of `POST /api/harness/turn`.' })
  @MayBeAbsent()
  @Rule('isObject', isPlainObject, mustBe('an object'))
  opts: Record<string, unknown> = {};

  @ApiPropertyOptional({
    ...jsonObjects,
    description: 'Tools that the client runs: name, description, inputSchema.',
  })
  @Allow()
  clientTools?: unknown;
}
