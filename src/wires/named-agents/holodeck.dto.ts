import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RetryAdviceDto } from '../../http/api-errors.decorator.js';

/** The DTOs are for the documentation: `parseChatRequest` checks the body. */
class ChatFileDto {
  @ApiProperty({ type: String, format: 'byte', description: 'Base64, at most 10 MiB decoded.' })
  content!: string;

  @ApiProperty({ type: String, description: 'Not trusted: the content says what it is.' })
  mime_type!: string;

  @ApiPropertyOptional({ type: String })
  filename?: string;
}

export class ChatRequestDto {
  @ApiProperty({ type: String, minLength: 1, maxLength: 10_000 })
  message!: string;

  @ApiPropertyOptional({
    type: String,
    pattern: '^[0-9A-HJKMNP-TV-Z]{26}$',
    description:
      'The session to go on in. Without one, with what is none and with one that has expired, a new one.',
  })
  session_id?: string;

  @ApiPropertyOptional({
    type: [ChatFileDto],
    maxItems: 10,
    description:
      'png, jpeg, gif, webp, pdf, docx, xlsx, pptx, txt, csv or md. As form data: files of at most 50 MiB in fields named `files`.',
  })
  files?: ChatFileDto[];
}

class TokensUsedDto {
  @ApiProperty({ type: 'integer' })
  prompt_tokens!: number;

  @ApiProperty({ type: 'integer' })
  completion_tokens!: number;

  @ApiProperty({ type: 'integer' })
  total_tokens!: number;
}

class AnsweredCallDto {
  @ApiProperty({ type: String })
  name!: string;

  @ApiPropertyOptional({ type: Object })
  arguments?: Record<string, unknown>;

  @ApiProperty({ enum: ['success', 'error'] })
  status!: 'success' | 'error';
}

export class ChatAnswerDto {
  @ApiProperty({ type: String, description: 'ULID.' })
  message_id!: string;

  @ApiProperty({ type: String })
  content!: string;

  @ApiProperty({ type: String, description: 'ULID.' })
  session_id!: string;

  @ApiPropertyOptional({ type: [AnsweredCallDto] })
  tool_calls?: AnsweredCallDto[];

  @ApiProperty({ type: TokensUsedDto, nullable: true })
  tokens_used!: TokensUsedDto | null;

  @ApiProperty({ type: 'integer' })
  execution_time_ms!: number;

  @ApiPropertyOptional({
    type: [Object],
    description:
      '`{type, title, url?, cited_text?, location? (unit, start, end)}` of what was cited.',
  })
  sources?: object[];

  @ApiPropertyOptional({
    type: Object,
    description: '`{reason, message}` of a limit that ended it.',
  })
  limit?: object;

  @ApiPropertyOptional({ type: [Object], description: 'Notices of the turn.' })
  notices?: readonly object[];
}

export class ProblemDto extends RetryAdviceDto {
  @ApiProperty({ type: String, example: 'https://turnpike.dev/docs/errors/queue-full' })
  type!: string;

  @ApiProperty({ type: String, description: 'The same for every problem of a type.' })
  title!: string;

  @ApiProperty({ type: 'integer' })
  status!: number;

  @ApiProperty({ type: String, description: 'What happened, and what to do.' })
  detail!: string;

  @ApiProperty({ type: String, description: 'Path of the request.' })
  instance!: string;
}
