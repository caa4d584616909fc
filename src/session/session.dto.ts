import { RequestForm } from '../http/request.pipe.js';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsString, ValidateIf, MaxLength } from 'class-validator';
import { jsonObject, schemaOf, whole } from '../http/fields/json-schemas.js';
import {
  Nested,
  CharacterCount,
  MayBeAbsent,
  OptionalId,
  OptionalText,
  RequiredText,
  Trimmed,
  Rule,
  EmptyIsAbsent,
  OneOf,
  mustBe,
  says,
} from '../http/fields/field-rules.decorator.js';
import { agentConfigToWire } from '../governance/decision-tree/agent-config.js';
import { compact } from '../platform/compact.js';
import { AgentConfigDto } from '../options/preferences.dto.js';
import { TurnOptionsDto } from '../options/turn-options.dto.js';
import { isStorable } from '../storage/connection.js';
import { keyScopes, type KeyScope } from '../storage/governance-schema.js';
import { sessionOrigins, type SessionOrigin } from '../storage/shapes/stored-turn.js';
import {
  projectFilesKinds,
  type PermissionRules,
  type ProjectFilesKind,
} from '../storage/shapes/stored-options.js';
import { projectFilesChoices, type ProjectFilesChoice } from './claude-projects.js';
import {
  forkPositions,
  type ForkPosition,
  type ForkSource,
} from '../storage/shapes/stored-turn.js';
import { PageQueryDto, PageDto } from '../http/paging/page-query.dto.js';
import { todoStatuses, type Todo } from '../storage/shapes/stored-step.js';
import type { PagedSession } from './page-sessions.js';
import type { SessionRow } from './session-store.js';
import { sessionTitle } from './session-title.js';

export class CreateSessionDto {
  /**
   * Absolute path of the folder the session works in. Default: the caller’s own folder.
   *
   * @example /home/me/project
   */
  @MayBeAbsent()
  @RequiredText()
  projectRoot?: string;

  /**
   * Persona of the session. Default: WORKING_ITEMS.
   *
   * @example WORKING_ITEMS
   */
  @OptionalText() persona?: string;

  /**
   * Permission mode: direct, acceptEdits, dontAsk or plan, which any other text means. Default: direct.
   *
   * @example direct
   */
  @OptionalText() mode?: string;

  /** Limits of its turns. */
  @MayBeAbsent()
  @Nested(AgentConfigDto, { example: { max_iterations: 10 } })
  agentConfig?: AgentConfigDto;

  /** Rules for its tools: lists allow, ask and deny, of at most 100 rules together and 500 characters each. */
  @ApiPropertyOptional({
    ...jsonObject,
    example: { allow: ['bash(git status*)'], ask: ['write(docs/**)'], deny: ['grep'] },
  })
  @Allow()
  permissions?: Readonly<Record<string, unknown>>;

  /**
   * MCP servers of its turns, by name: definitions over http, or headers and env for servers of the configuration.
   * Never shown again.
   */
  @ApiPropertyOptional({
    ...jsonObject,
    example: {
      docs: { url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer …' } },
    },
  })
  @Allow()
  mcpServers?: Readonly<Record<string, unknown>>;

  /**
   * Agents that its turns may delegate to, by name: `description` and `prompt`, and `tools`, `model`, `max_turns`, `limits`,
   * `permissions`, `skills`, `thinking` as in an agent’s file. At most 20, of 65,536 characters in all.
   */
  @ApiPropertyOptional({
    ...jsonObject,
    example: { reviewer: { description: 'Reviews code.', prompt: 'You review.', tools: ['read'] } },
  })
  @Allow()
  agents?: Readonly<Record<string, unknown>>;

  /** Whether it takes the files that its project has for Claude Code. Default: the operator’s choice. */
  @MayBeAbsent()
  @OneOf(projectFilesChoices)
  projectFiles?: ProjectFilesChoice;

  @OptionalId(
    'sess',
    'An id of your own for it, which no session has. Default: the server makes one.',
  )
  sessionId?: string;
}

/** Most characters of a title that a user gives. */
const MAX_TITLE_CHARS = 200;
const title = mustBe(`a text of 1 to ${MAX_TITLE_CHARS} characters, or null`);

export class RenameSessionDto {
  /** The new title; null: the beginning of the first message again. */
  @ApiProperty({ type: String, nullable: true, maxLength: MAX_TITLE_CHARS, example: 'Release 2.4' })
  @Trimmed()
  @ValidateIf((_body: unknown, value: unknown) => value !== null)
  @IsString(title)
  @CharacterCount({ min: 1, max: MAX_TITLE_CHARS }, title)
  @Rule('isStorable', (value) => typeof value === 'string' && isStorable(value), title)
  title!: string | null;
}

/** The folder whose sessions are asked for. */
export class ProjectQueryDto {
  /**
   * Absolute path of the folder.
   *
   * @example /home/me/project
   */
  @RequiredText() projectRoot!: string;
}

export class BootSessionDto {
  /** Id of the session. */
  @RequiredText() sessionId!: string;

  /** As on a turn. */
  @ApiPropertyOptional({ type: TurnOptionsDto })
  @Allow()
  opts?: TurnOptionsDto;
}

/** The point of another session that a fork began at. */
export class ForkPointDto {
  /** Id of the source, which may be deleted since. */
  sessionId!: string;
  /** Id of a turn of the source. */
  turnId!: string;
  /** Whether the history ends before that turn. */
  @ApiProperty({ enum: forkPositions }) position!: ForkPosition;
}

/** Fields of every view of a session. */
export class SessionFieldsDto {
  /** @example sess_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11 */
  sessionId!: string;
  projectRoot!: string;
  /** @example WORKING_ITEMS */
  persona!: string;
  /** @example direct */
  mode!: string;
  /** The wire that created it. Absent: the harness. */
  @ApiPropertyOptional({ enum: sessionOrigins }) origin?: SessionOrigin;
  @ApiProperty({ type: String, format: 'date-time' }) createdAt!: string;
  /** When it was used last. */
  @ApiProperty({ type: String, format: 'date-time' }) updatedAt!: string;
  /** Where its history comes from. Absent: it began empty. */
  forkedFrom?: ForkPointDto;
}

export class SessionRecordDto extends SessionFieldsDto {
  /** Set by its user. Absent: none is set. */
  title?: string;
  /** The turn that its turn is a replay of: it takes no other turns. Absent: it is no replay. */
  replayOf?: string;
  /** Set by the first turn or boot; then stable. */
  claudeSessionId?: string;
  /** Of persona and mode; set by a boot. */
  bootFingerprint?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) bootedAt?: string;
  /** Model of the last boot or turn. */
  model?: string;

  /** Limits of its turns, where it has some. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'integer' } })
  agentConfig?: Record<string, number>;

  /** Rules for its tools, where it has some. */
  @ApiPropertyOptional(schemaOf('PermissionRules')) permissions?: PermissionRules;

  /** Whose files of its project it takes. Absent: none. */
  @ApiPropertyOptional({ enum: projectFilesKinds }) projectFiles?: ProjectFilesKind;

  /** Names of agents of its own that its turns may delegate to. Absent: none. */
  agents?: string[];
}

export class SessionDto {
  session!: SessionRecordDto;
}

/** A field of a request that had no effect. */
export class OptionsNoticeDto {
  @ApiProperty({ enum: ['options-ignored'] }) kind!: 'options-ignored';
  @ApiProperty({ enum: ['message'] }) level!: 'message';
  /** A line for each field. */
  text!: string;
  /** `problems`: a list of them. */
  @ApiProperty(jsonObject) metadata!: Readonly<Record<string, unknown>>;
  @ApiProperty({ type: Boolean, enum: [false] }) seenByModel!: false;
}

export class CreatedSessionDto extends SessionDto {
  /** Fields of the request that had no effect. Absent: there were none. */
  notices?: OptionsNoticeDto[];
}

export class SessionListDto {
  /** Oldest first. */
  sessions!: SessionRecordDto[];
}

export class BootDto {
  claudeSessionId!: string;
  bootFingerprint!: string;
  @ApiProperty({ type: String, format: 'date-time' }) bootedAt!: string;
}

export class BootedSessionDto extends SessionDto {
  boot!: BootDto;
}

export class SessionDefaultsDto {
  /** @example local */
  principal!: string;
  /** Whether the server has API keys. */
  isKeyed!: boolean;
  /** What the caller may do. */
  @ApiProperty({ isArray: true, enum: keyScopes }) scopes!: readonly KeyScope[];
  /** The command line's name at the server: `turnpike`, or `./turnpike` in a clone. */
  command!: string;
  /** The folder of a session that names none. */
  projectRoot!: string;
  /** @example WORKING_ITEMS */
  persona!: string;
  /** @example direct */
  mode!: string;
  /** Bytes of the largest file that a turn takes. */
  @ApiProperty(whole) attachmentBytes!: number;
}

export class ListedSessionDto extends SessionFieldsDto {
  /** As its user called it, or the beginning of the first message, on one line of at most 80 characters. */
  title?: string;
  /** The turn that is queued, runs, or waits for people. */
  activeTurnId?: string;
}

export class SessionPageDto extends PageDto {
  /** The one used last first; on the last pages once more those that were used since the first page. */
  sessions!: ListedSessionDto[];
}

const MAX_SEARCH_CHARS = 200;

/** A page of the caller's sessions, of all or of some. */
@RequestForm({ closed: 'The query' })
export class SessionQueryDto extends PageQueryDto {
  /** Text of the title, of the first message or of the folder, in capitals or not. */
  @OptionalText()
  @MaxLength(MAX_SEARCH_CHARS, says(`'$field' must have at most ${MAX_SEARCH_CHARS} characters`))
  search?: string;

  /** Sessions that schedules made: with the others, not, or alone. Default: show. */
  @EmptyIsAbsent()
  @OneOf(['show', 'hide', 'only'])
  scheduled?: 'show' | 'hide' | 'only';
}

export class TodoDto implements Todo {
  /** @example tests */
  id!: string;
  @ApiProperty({ type: String, example: 'Write the tests' }) content!: string;
  @ApiProperty({ enum: todoStatuses }) status!: Todo['status'];
}

export class TodoListDto {
  /** In the order the model gave them. */
  todos!: TodoDto[];
}

/** The fields of a session that lists and its own view share. */
function viewFacts(row: SessionRow | PagedSession) {
  return {
    sessionId: row.id,
    projectRoot: row.projectRoot,
    persona: row.persona,
    mode: row.mode,
    ...(row.origin === 'harness' ? {} : { origin: row.origin }),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export function viewSession(row: SessionRow): SessionRecordDto {
  return {
    ...viewFacts(row),
    ...compact({
      title: row.title ?? undefined,
      claudeSessionId: row.claudeSessionId ?? undefined,
      bootFingerprint: row.bootFingerprint ?? undefined,
      bootedAt: row.bootedAt?.toISOString(),
      model: row.model ?? undefined,
      agentConfig: row.agentConfig === null ? undefined : agentConfigToWire(row.agentConfig),
      permissions: row.permissions ?? undefined,
      projectFiles: row.projectFiles ?? undefined,
      agents: row.agents === null ? undefined : Object.keys(row.agents),
      replayOf: row.replayOf ?? undefined,
    }),
    ...viewForkPoint(row.forkedFrom),
  };
}

export function viewPagedSession(row: PagedSession): ListedSessionDto {
  const title = row.title ?? sessionTitle(row.firstRequest);
  return {
    ...viewFacts(row),
    ...compact({ title }),
    ...(row.activeTurnId === null ? {} : { activeTurnId: row.activeTurnId }),
    ...viewForkPoint(row.forkedFrom),
  };
}

/** The session may be gone: its fork has a history of its own. */
function viewForkPoint(origin: ForkSource | null): { forkedFrom?: ForkPointDto } {
  if (origin === null) return {};
  const { sessionId, turnId, position } = origin;
  return { forkedFrom: { sessionId, turnId, position } };
}
