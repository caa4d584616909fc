import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { jsonObject } from '../../http/fields/json-schemas.js';
import { listOf } from '../../http/fields/type-schema.js';
import type { JsonObject } from '../../platform/json.js';
import type { ChatAnswer } from './collect-answer.js';
import type { HolodeckNotice, HolodeckSource } from './dialect/agent-frames.js';
import { ApiCorrelationId, RetryAdviceDto } from '../../http/errors/api-errors.decorator.js';

export class TokensUsedDto {
  @ApiProperty({ type: 'integer' })
  prompt_tokens!: number;

  @ApiProperty({ type: 'integer' })
  completion_tokens!: number;

  @ApiProperty({ type: 'integer' })
  total_tokens!: number;
}

export class AnsweredCallDto {
  @ApiProperty({ type: String })
  name!: string;

  @ApiPropertyOptional(jsonObject)
  arguments?: Record<string, unknown>;

  @ApiProperty({ enum: ['success', 'error'] })
  status!: 'success' | 'error';
}

export class MetLimitDto {
  @ApiProperty({ type: String })
  reason!: string;

  @ApiProperty({ type: String })
  message!: string;
}

export class ChatAnswerDto implements ChatAnswer {
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
    ...jsonObject,
    description: 'The object of an agent whose answers are to end with one.',
  })
  output?: JsonObject;

  @ApiPropertyOptional({ ...listOf('HolodeckSource'), description: 'What was cited.' })
  sources?: HolodeckSource[];

  @ApiPropertyOptional({ type: MetLimitDto, description: 'The limit that ended it.' })
  limit?: MetLimitDto;

  @ApiPropertyOptional({ ...listOf('HolodeckNotice'), description: 'Notices of the turn.' })
  notices?: readonly HolodeckNotice[];
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

  @ApiCorrelationId()
  correlationId!: string;
}
