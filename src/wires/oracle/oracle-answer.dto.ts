import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { jsonObject, nullableText, time } from '../../http/fields/json-schemas.js';
import type { JsonObject } from '../../platform/json.js';
import type { OracleAnswer, RetrievalTrace } from './collect-answer.js';
import { systemTypes, type OracleSource } from './dialect/oracle-frames.js';
import { sourceTypes } from './dialect/oracle-frames.js';
import type { HistoryMessage, OracleHistory } from './oracle-contexts.js';

type Notice = OracleAnswer['notices'][number];
type EndReason = NonNullable<OracleAnswer['metadata']>;

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

export class RetrievalTraceDto implements RetrievalTrace {
  @ApiProperty({ type: String })
  id!: string;

  @ApiProperty({ type: String, description: 'Name of the tool.' })
  name!: string;

  @ApiProperty({ type: String, description: 'JSON.' })
  arguments!: string;

  @ApiProperty({ enum: ['running', 'completed', 'error'] })
  status!: RetrievalTrace['status'];

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

export class OracleAnswerDto implements OracleAnswer {
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

export class HistoryMessageDto implements HistoryMessage {
  @ApiProperty({ enum: ['user', 'assistant', 'system'] })
  role!: HistoryMessage['role'];

  @ApiProperty({ type: String })
  content!: string;

  @ApiProperty(time)
  timestamp!: string;

  @ApiPropertyOptional({ type: [OracleSourceDto], description: 'Absent where none were cited.' })
  sources?: OracleSourceDto[];
}

export class OracleHistoryDto implements OracleHistory {
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
