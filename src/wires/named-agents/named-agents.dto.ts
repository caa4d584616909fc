import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Allow, IsString, Matches } from 'class-validator';
import { CharacterCount } from '../../http/fields/field-rules.decorator.js';
import { mustBe } from '../../http/fields/field-words.js';
import { fromUlid, ulidPattern } from '../../http/fields/ulid-form.js';
import { jsonObject, nullableText, listOf } from '../../http/fields/json-schemas.js';
import type { JsonObject } from '../../platform/json.js';
import { ApiCorrelationId, RetryAdviceDto } from '../../http/errors/api-errors.decorator.js';
import type { AgentProblem } from '../../agents/check-agents.js';
import type { AgentSummary } from '../../agents/summarize-agent.js';
import type { AgentAnswerEnd, HolodeckNotice, HolodeckSource } from './dialect/agent-frames.js';

/** A file of a chat in JSON. It is taken while the body is received: see `receiveJson`. */
export class ChatFileDto {
  @ApiProperty({ type: String, format: 'byte', description: 'Base64, at most 10 MiB decoded.' })
  content!: string;

  @ApiProperty({ type: String, description: 'Not trusted: the content says what it is.' })
  mime_type!: string;

  @ApiPropertyOptional({ type: String })
  filename?: string;
}

const LONGEST_MESSAGE = 10_000;

const messageWords = mustBe(
  `a text of 1 to ${LONGEST_MESSAGE.toLocaleString('en')} characters; send more of it as a file`,
);

/** A chat (contract: holodeck, section 1), as JSON or as the fields of a form. */
export class ChatRequestDto {
  @ApiProperty({ type: String, minLength: 1, maxLength: LONGEST_MESSAGE })
  @IsString(messageWords)
  @CharacterCount({ min: 1, max: LONGEST_MESSAGE }, messageWords)
  message!: string;

  /** In the server's form. What is no id of a session begins a new one (section 2). */
  @ApiPropertyOptional({
    type: String,
    pattern: ulidPattern.source,
    description:
      'The session to go on in. Without one, with what is none and with one that has expired, a new one.',
  })
  @Transform(({ value }: { value: unknown }) =>
    // A ULID means the same in small letters.
    typeof value === 'string' ? fromUlid('sess', value.toUpperCase()) : undefined,
  )
  @Allow()
  session_id?: string;

  @ApiPropertyOptional({
    type: [ChatFileDto],
    maxItems: 10,
    description:
      'png, jpeg, gif, webp, pdf, docx, xlsx, pptx, txt, csv or md. As form data: files of at most 50 MiB in fields named `files`.',
  })
  files?: ChatFileDto[];
}

const ulid = mustBe('a ULID: 26 of the digits and capital letters without I, L, O and U');

/** The path of an agent, as the client spells its name. */
export class AgentParamsDto {
  @ApiProperty({ type: String, description: 'Name of the agent.', example: 'WORKING_ITEMS' })
  @IsString()
  name!: string;
}

/** The path of an answer of an agent. */
export class MessageParamsDto extends AgentParamsDto {
  @ApiProperty({ type: String, pattern: ulidPattern.source, description: 'ULID of the answer.' })
  @Matches(ulidPattern, ulid)
  messageId!: string;
}

/** The path of a session of an agent. */
export class SessionParamsDto {
  @ApiProperty({ type: String, pattern: ulidPattern.source, description: 'ULID of the session.' })
  @Matches(ulidPattern, ulid)
  session_id!: string;
}

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

export class ChatAnswerDto implements AgentAnswerEnd {
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

export class AgentDto implements AgentSummary {
  @ApiProperty({ type: String, example: 'WORKING_ITEMS' })
  name!: string;

  @ApiProperty({ type: String, example: 'agents/AGENT_WORKING_ITEMS.md' })
  file!: string;

  @ApiProperty(nullableText)
  description!: string | null;

  @ApiProperty({ ...nullableText, description: 'Null: the turn’s model, or the server’s default.' })
  model!: string | null;

  @ApiProperty({ type: [String], nullable: true, description: 'Null: the server’s default tools.' })
  tools!: readonly string[] | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'Limits that the file sets, by their names on the wire.',
    example: { max_iterations: 20 },
  })
  limits!: Record<string, number>;

  @ApiProperty({ type: [String], description: 'Agents that it may delegate to.' })
  subagents!: readonly string[];

  @ApiProperty({ type: String, example: 'default' })
  decision_tree!: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: '0, 1 (talks to a person) or 2 (may be delegated to). Null: not given.',
  })
  type!: number | null;
}

export class AgentProblemDto implements AgentProblem {
  @ApiProperty({ type: String, example: 'agents/reader.md' })
  file!: string;

  @ApiProperty({ type: 'integer' })
  line!: number;

  @ApiProperty({ type: String })
  message!: string;
}

export class AgentListDto {
  @ApiProperty({ type: [AgentDto] })
  agents!: AgentDto[];

  @ApiProperty({
    type: [AgentProblemDto],
    description:
      'Faults of the agents’ files as they are now: the last version without faults is used, or the agent has no tools.',
  })
  problems!: AgentProblemDto[];
}
