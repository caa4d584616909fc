import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { ApiCorrelationId, RetryAdviceDto } from '../../http/errors/api-errors.decorator.js';
import { ValidationProblemDto } from '../../http/errors/validation-detail.dto.js';
import {
  BoundedText,
  EmptyIsAbsent,
  Flag,
  ListOf,
  MayBeNull,
  OneOf,
  WholeNumber,
} from '../../http/fields/field-rules.decorator.js';
import { mustBe } from '../../http/fields/field-words.js';
import { RequestForm } from '../../http/request-form.decorator.js';
import { jsonObject, nullableText, time } from '../../http/fields/json-schemas.js';
import type { JsonObject } from '../../platform/json.js';
import type { MessageDto } from '../../turn/history/messages.dto.js';
import {
  sourceTypes,
  systemTypes,
  type DoneChunk,
  type OracleChunk,
  type OracleSource,
  type OracleToolCall,
} from './dialect/oracle-frames.js';

export class OracleCancelDto {
  @ApiProperty({ enum: ['cancelled', 'no_active_session'] })
  status!: 'cancelled' | 'no_active_session';
}

export class OracleForgottenDto {
  @ApiProperty({ type: String, example: 'ok' })
  status!: 'ok';

  @ApiProperty({ type: String })
  message!: string;
}

/** A request with faults: the answer of status 422. */
export class OracleFaultsDto extends RetryAdviceDto {
  @ApiProperty({ type: [ValidationProblemDto], description: 'One entry per wrong field.' })
  detail!: ValidationProblemDto[];

  @ApiCorrelationId()
  correlationId!: string;
}

export class OracleErrorDto extends RetryAdviceDto {
  @ApiProperty({ type: String, description: 'For a person: what is wrong and what to do.' })
  detail!: string;

  @ApiCorrelationId()
  correlationId!: string;
}

/** A question (contract: oracle, section 1). Null leaves a field out, as clients of this family send it. */
@RequestForm({ listedIn: 'body' })
export class OracleQuestionDto {
  @BoundedText({ max: 2_000 })
  question!: string;

  @MayBeNull()
  @ListOf(
    ['vault', 'code', 'threads'],
    'Accepted without effect, as a `system` chunk and `notices` report: every tool of the conversation may be used.',
  )
  sources?: string[];

  @MayBeNull()
  @Flag(
    'Whether the answer has `retrieval_traces`; the stream always has its tool calls. Default: false.',
  )
  explain = false;

  @MayBeNull()
  @BoundedText({ max: 200 })
  model?: string;

  @MayBeNull()
  @Flag('Default: as the user’s settings say.')
  thinking?: boolean;

  @MayBeNull()
  @WholeNumber({
    min: 1_000,
    max: 100_000,
    description: 'Most tokens of one reply of the model. Default: 16000.',
  })
  max_tokens = 16_000;

  @MayBeNull()
  @BoundedText({
    max: 200,
    description: 'The conversation to go on with, as `done` gave it. Without it a new one begins.',
  })
  context_id?: string;

  @MayBeNull()
  @BoundedText({
    max: 64,
    pattern: /^[\w-]+$/,
    expected: "1 to 64 letters, digits, '_' and '-'",
    description: 'A folder in `TURNPIKE_ORACLE_ROOT` that a new conversation works in.',
  })
  project_id?: string;
}

@RequestForm({ listedIn: 'query' })
export class BusyQueryDto {
  @MayBeNull()
  @OneOf(['interrupt', 'reject'], {
    default: 'interrupt',
    description:
      'While another question of the conversation is answered: `interrupt` cancels that one, `reject` gives 409.',
  })
  busy: 'interrupt' | 'reject' = 'interrupt';
}

@RequestForm({ listedIn: 'query' })
export class ContextQueryDto {
  @ApiProperty({ type: String, description: 'The conversation. Default: the newest.' })
  @EmptyIsAbsent()
  @IsString(mustBe('given once'))
  context_id?: string;
}

type Notice = Extract<OracleChunk, { type: 'system' }>;
type EndReason = NonNullable<DoneChunk['metadata']>;

export class OracleSourceDto implements OracleSource {
  @ApiProperty({ type: String, description: 'Title, or address where it has none.' })
  path!: string;

  @ApiProperty({ enum: sourceTypes })
  source_type!: OracleSource['source_type'];

  @ApiPropertyOptional({ type: String, description: 'At most 500 characters.' })
  snippet?: string | undefined;

  @ApiProperty({ ...jsonObject, description: '`type`, `url?` and `location?` (unit, start, end).' })
  metadata!: Record<string, unknown>;
}

export class RetrievalTraceDto implements OracleToolCall {
  @ApiProperty({ type: String })
  id!: string;

  @ApiProperty({ type: String, description: 'Name of the tool.' })
  name!: string;

  @ApiProperty({ type: String, description: 'JSON.' })
  arguments!: string;

  @ApiProperty({ enum: ['running', 'completed', 'error'] })
  status!: OracleToolCall['status'];

  @ApiProperty({ type: String, description: 'At most 2,000 characters.' })
  result!: string;
}

export class OracleNoticeDto implements Notice {
  @ApiProperty({ enum: ['system'] })
  type!: 'system';

  @ApiProperty({ enum: systemTypes })
  system_type!: Notice['system_type'];

  @ApiProperty({ type: String })
  system_message!: string;

  @ApiPropertyOptional(jsonObject)
  metadata?: Record<string, unknown> | undefined;
}

export class EndReasonDto implements EndReason {
  @ApiProperty({ type: String })
  termination_reason!: string;

  @ApiProperty({ type: 'integer', description: 'Model calls.' })
  turns_used!: number;

  @ApiPropertyOptional({ type: 'integer' })
  max_turns?: number | undefined;
}

export class OracleAnswerDto {
  @ApiProperty({ type: String })
  answer!: string;

  @ApiProperty({ type: [OracleSourceDto] })
  sources!: OracleSourceDto[];

  @ApiPropertyOptional({ type: 'integer' })
  tokens_used!: number | undefined;

  @ApiPropertyOptional({ type: String })
  model_used!: string | undefined;

  @ApiPropertyOptional({ type: String, description: 'The conversation, to go on with.' })
  context_id!: string | undefined;

  @ApiPropertyOptional({ type: [RetrievalTraceDto], description: 'With `explain`.' })
  retrieval_traces?: RetrievalTraceDto[];

  @ApiProperty({ type: [OracleNoticeDto] })
  notices!: OracleNoticeDto[];

  @ApiPropertyOptional({
    ...jsonObject,
    description: 'The object of an agent whose answers are to end with one.',
  })
  output?: JsonObject;

  @ApiPropertyOptional({
    type: EndReasonDto,
    description: 'Where a limit or a cancel ended the answer.',
  })
  metadata?: EndReasonDto;
}

export class HistoryMessageDto {
  @ApiProperty({ enum: ['user', 'assistant', 'system'] })
  role!: MessageDto['role'];

  @ApiProperty({ type: String })
  content!: string;

  @ApiProperty(time)
  timestamp!: string;

  @ApiPropertyOptional({ type: [OracleSourceDto], description: 'Absent where none were cited.' })
  sources?: OracleSourceDto[];
}

export class OracleHistoryDto {
  @ApiProperty({ type: [HistoryMessageDto], description: 'Oldest first.' })
  messages!: HistoryMessageDto[];

  @ApiProperty({ ...nullableText, description: 'Null: there is no conversation.' })
  session_id!: string | null;

  @ApiProperty({ type: Boolean, description: 'Whether a summary stands for the beginning.' })
  compressed!: boolean;

  @ApiProperty({
    type: 'integer',
    description: 'Tokens of the conversation as the model last saw it, its reply included.',
  })
  token_count!: number;
}
