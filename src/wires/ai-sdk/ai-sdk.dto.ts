import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { jsonObject, jsonObjects } from '../../http/json-schemas.js';

/** The DTO is for the documentation: `readChatRequest` checks the body, by the package's own schema. */
export class ChatDto {
  @ApiProperty({
    type: String,
    maxLength: 256,
    description: 'The client’s own, or a session’s id.',
  })
  id!: string;

  @ApiProperty({
    ...jsonObjects,
    description:
      'UI messages. Read are the user messages after the last assistant message, or the answers in the last assistant message; what came before may be left out.',
  })
  messages!: object[];

  @ApiPropertyOptional({
    enum: ['submit-message', 'regenerate-message'],
    default: 'submit-message',
  })
  trigger?: string;

  @ApiPropertyOptional({ type: String, description: 'Of a message that was edited.' })
  messageId?: string;

  @ApiPropertyOptional({ type: String, description: 'Who answers. Default: the server’s persona.' })
  agent?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'Folder that a new chat works in. Default: the server’s.',
  })
  projectRoot?: string;

  @ApiPropertyOptional({ ...jsonObject, description: 'As `opts` of `POST /api/harness/turn`.' })
  opts?: object;

  @ApiPropertyOptional({
    ...jsonObjects,
    description: 'Tools that the client runs: name, description, inputSchema.',
  })
  clientTools?: object[];
}
