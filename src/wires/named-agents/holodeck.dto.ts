import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RetryAdviceDto } from '../../http/api-errors.decorator.js';

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
