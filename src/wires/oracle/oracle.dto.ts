import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import {
  ApiCorrelationId,
  BoundedText,
  EmptyIsAbsent,
  Flag,
  jsonObject,
  listedIn,
  ListOf,
  MayBeNull,
  mustBe,
  OneOf,
  RequestForm,
  RetryAdviceDto,
  time,
  ValidationProblemDto,
  whole,
  WholeNumber,
} from '../../http/face.js';
import type { JsonObject } from '../../platform/face.js';
import type { MessageDto } from '../../turn/face.js';
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
  /** @example ok */
  @ApiProperty({ type: String }) status!: 'ok';
  message!: string;
}

/** A request with faults: the answer of status 422. */
export class OracleFaultsDto extends RetryAdviceDto {
  /** One entry per wrong field. */
  detail!: ValidationProblemDto[];
  @ApiCorrelationId() correlationId!: string;
}

export class OracleErrorDto extends RetryAdviceDto {
  /** For a person: what is wrong and what to do. */
  detail!: string;
  @ApiCorrelationId() correlationId!: string;
}

/** A question (contract: oracle, section 1). Null leaves a field out, as clients of this family send it. */
@RequestForm({ refuse: listedIn('body') })
export class OracleQuestionDto {
  @BoundedText({ max: 2_000 }) question!: string;

  @MayBeNull()
  @ListOf(
    ['vault', 'code', 'threads'],
    'Accepted without effect, as a `system` chunk and `notices` report: every tool of the conversation may be used.',
  )
  sources?: string[];

  /** Whether the answer has `retrieval_traces`; the stream always has its tool calls. Default: false. */
  @MayBeNull()
  @Flag()
  explain = false;

  @MayBeNull()
  @BoundedText({ max: 200 })
  model?: string;

  /** Default: as the user’s settings say. */
  @MayBeNull()
  @Flag()
  thinking?: boolean;

  /** Most tokens of one reply of the model. Default: 16000. */
  @MayBeNull()
  @WholeNumber({ min: 1_000, max: 100_000 })
  max_tokens = 16_000;

  /** The conversation to go on with, as `done` gave it. Without it a new one begins. */
  @MayBeNull()
  @BoundedText({ max: 200 })
  context_id?: string;

  /** A folder in `TURNPIKE_ORACLE_ROOT` that a new conversation works in. */
  @MayBeNull()
  @BoundedText({ max: 64, pattern: /^[\w-]+$/, expected: "1 to 64 letters, digits, '_' and '-'" })
  project_id?: string;
}

@RequestForm({ refuse: listedIn('query') })
export class BusyQueryDto {
  /** While another question of the conversation is answered: `interrupt` cancels that one, `reject` gives 409. */
  @MayBeNull()
  @OneOf(['interrupt', 'reject'], { default: 'interrupt' })
  busy: 'interrupt' | 'reject' = 'interrupt';
}

@RequestForm({ refuse: listedIn('query') })
export class ContextQueryDto {
  @ApiProperty({ type: String, description: 'The conversation. Default: the newest.' })
  @EmptyIsAbsent()
  @IsString(mustBe('given once'))
  context_id?: string;
}

type Notice = Extract<OracleChunk, { type: 'system' }>;
type EndReason = NonNullable<DoneChunk['metadata']>;

export class OracleSourceDto implements OracleSource {
  /** Title, or address where it has none. */
  path!: string;
  @ApiProperty({ enum: sourceTypes }) source_type!: OracleSource['source_type'];
  /** At most 500 characters. */
  snippet?: string | undefined;
  /** `type`, `url?` and `location?` (unit, start, end). */
  @ApiProperty(jsonObject) metadata!: Record<string, unknown>;
}

export class RetrievalTraceDto implements OracleToolCall {
  id!: string;
  /** Name of the tool. */
  name!: string;
  /** JSON. */
  arguments!: string;
  @ApiProperty({ enum: ['running', 'completed', 'error'] }) status!: OracleToolCall['status'];
  /** At most 2,000 characters. */
  result!: string;
}

export class OracleNoticeDto implements Notice {
  @ApiProperty({ enum: ['system'] }) type!: 'system';
  @ApiProperty({ enum: systemTypes }) system_type!: Notice['system_type'];
  system_message!: string;
  @ApiPropertyOptional(jsonObject) metadata?: Record<string, unknown> | undefined;
}

export class EndReasonDto implements EndReason {
  termination_reason!: string;
  /** Model calls. */
  @ApiProperty(whole) turns_used!: number;
  @ApiPropertyOptional(whole) max_turns?: number | undefined;
}

export class OracleAnswerDto {
  answer!: string;
  sources!: OracleSourceDto[];
  @ApiPropertyOptional({ type: 'integer' }) tokens_used!: number | undefined;
  @ApiPropertyOptional({ type: String }) model_used!: string | undefined;

  @ApiPropertyOptional({ type: String, description: 'The conversation, to go on with.' })
  context_id!: string | undefined;

  /** With `explain`. */
  retrieval_traces?: RetrievalTraceDto[];
  notices!: OracleNoticeDto[];
  /** The object of an agent whose answers are to end with one. */
  @ApiPropertyOptional(jsonObject) output?: JsonObject;
  /** Where a limit or a cancel ended the answer. */
  metadata?: EndReasonDto;
}

export class HistoryMessageDto {
  @ApiProperty({ enum: ['user', 'assistant', 'system'] }) role!: MessageDto['role'];
  content!: string;
  @ApiProperty(time) timestamp!: string;
  /** Absent where none were cited. */
  sources?: OracleSourceDto[];
}

export class OracleHistoryDto {
  /** Oldest first. */
  messages!: HistoryMessageDto[];
  /** Null: there is no conversation. */
  session_id!: string | null;
  /** Whether a summary stands for the beginning. */
  compressed!: boolean;
  /** Tokens of the conversation as the model last saw it, its reply included. */
  @ApiProperty(whole) token_count!: number;
}
