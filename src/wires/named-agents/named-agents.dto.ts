import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Allow, IsString, Matches } from 'class-validator';
import {
  ApiCorrelationId,
  CharacterCount,
  jsonObject,
  listOf,
  mustBe,
  nullableWhole,
  RetryAdviceDto,
  whole,
} from '../../http/face.js';
import { fromUlid, ulidPattern } from './ulid-form.js';
import type { JsonObject } from '../../platform/face.js';
import type { AgentProblem, AgentSummary } from '../../agents/face.js';
import type { AgentAnswerEnd, HolodeckNotice, HolodeckSource } from './dialect/agent-frames.js';

/** A file of a chat in JSON. It is taken while the body is received: see `receiveJson`. */
export class ChatFileDto {
  /** Base64, at most 10 MiB decoded. */
  @ApiProperty({ type: String, format: 'byte' }) content!: string;
  /** Not trusted: the content says what it is. */
  mime_type!: string;
  filename?: string;
}

const MAX_MESSAGE_CHARS = 10_000;

const messageWords = mustBe(
  `a text of 1 to ${MAX_MESSAGE_CHARS.toLocaleString('en')} characters; send more of it as a file`,
);

/** A chat (contract: holodeck, section 1), as JSON or as the fields of a form. */
export class ChatRequestDto {
  @ApiProperty({ type: String, minLength: 1, maxLength: MAX_MESSAGE_CHARS })
  @IsString(messageWords)
  @CharacterCount({ min: 1, max: MAX_MESSAGE_CHARS }, messageWords)
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

  /**
   * png, jpeg, gif, webp, pdf, docx, xlsx, pptx, txt, csv or md. As form data: files of at most 50 MiB in fields
   * named `files`.
   */
  @ApiPropertyOptional({ type: [ChatFileDto], maxItems: 10 }) files?: ChatFileDto[];
}

const ulid = mustBe('a ULID: 26 of the digits and capital letters without I, L, O and U');

/** The path of an agent, as the client spells its name. */
export class AgentParamsDto {
  /**
   * Name of the agent.
   *
   * @example WORKING_ITEMS
   */
  @ApiProperty({ type: String })
  @IsString()
  name!: string;
}

/** The path of an answer of an agent. */
export class MessageParamsDto extends AgentParamsDto {
  /** ULID of the answer. */
  @ApiProperty({ type: String, pattern: ulidPattern.source })
  @Matches(ulidPattern, ulid)
  messageId!: string;
}

/** The path of a session of an agent. */
export class SessionParamsDto {
  /** ULID of the session. */
  @ApiProperty({ type: String, pattern: ulidPattern.source })
  @Matches(ulidPattern, ulid)
  session_id!: string;
}

export class TokensUsedDto {
  @ApiProperty(whole) prompt_tokens!: number;
  @ApiProperty(whole) completion_tokens!: number;
  @ApiProperty(whole) total_tokens!: number;
}

export class AnsweredCallDto {
  name!: string;
  @ApiPropertyOptional(jsonObject) arguments?: Record<string, unknown>;
  @ApiProperty({ enum: ['success', 'error'] }) status!: 'success' | 'error';
}

export class MetLimitDto {
  reason!: string;
  message!: string;
}

export class ChatAnswerDto implements AgentAnswerEnd {
  /** ULID. */
  message_id!: string;
  content!: string;
  /** ULID. */
  session_id!: string;
  tool_calls?: AnsweredCallDto[];
  tokens_used!: TokensUsedDto | null;
  @ApiProperty(whole) execution_time_ms!: number;
  /** The object of an agent whose answers are to end with one. */
  @ApiPropertyOptional(jsonObject) output?: JsonObject;
  /** What was cited. */
  @ApiPropertyOptional(listOf('HolodeckSource')) sources?: HolodeckSource[];
  /** The limit that ended it. */
  limit?: MetLimitDto;
  /** Notices of the turn. */
  @ApiPropertyOptional(listOf('HolodeckNotice')) notices?: readonly HolodeckNotice[];
}

export class ProblemDto extends RetryAdviceDto {
  /** @example https://turnpike.dev/docs/errors/queue-full */
  type!: string;
  /** The same for every problem of a type. */
  title!: string;
  @ApiProperty(whole) status!: number;
  /** What happened, and what to do. */
  detail!: string;
  /** Path of the request. */
  instance!: string;
  @ApiCorrelationId() correlationId!: string;
}

export class AgentDto implements AgentSummary {
  /** @example WORKING_ITEMS */
  name!: string;
  /**
   * Path below the instruction folder; `createTurnpike.agents.NAME` where a host application defines it.
   *
   * @example agents/AGENT_WORKING_ITEMS.md
   */
  file!: string;
  /**
   * What people see in place of the name. Null: the name.
   *
   * @example Assistant
   */
  title!: string | null;
  description!: string | null;
  /** Null: the turn’s model, or the server’s default. */
  model!: string | null;
  /** Null: the server’s default tools. */
  @ApiProperty({ type: [String], nullable: true }) tools!: readonly string[] | null;

  /** Limits that the file sets, by their names on the wire. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    example: { max_iterations: 20 },
  })
  limits!: Record<string, number>;

  /** Agents that it may delegate to. */
  @ApiProperty({ type: [String] }) subagents!: readonly string[];
  /** @example default */
  decision_tree!: string;
  /** 0, 1 (talks to a person) or 2 (may be delegated to). Null: not given. */
  @ApiProperty(nullableWhole) type!: number | null;
}

export class AgentProblemDto implements AgentProblem {
  /** @example agents/reader.md */
  file!: string;
  /** From 1; 0: the agent is in TypeScript, whose fields have no lines. */
  @ApiProperty(whole) line!: number;
  message!: string;
}

export class AgentListDto {
  agents!: AgentDto[];

  /**
   * Faults of the agents’ files as they are now: the last version without faults is used, or the agent has no tools.
   */
  problems!: AgentProblemDto[];
}
