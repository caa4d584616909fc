import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsString, ValidateIf, MaxLength } from 'class-validator';
import { jsonObject, schemaOf } from '../http/fields/json-schemas.js';
import {
  Nested,
  CharacterCount,
  MayBeAbsent,
  OptionalText,
  RequiredText,
  Trimmed,
  Rule,
  EmptyIsAbsent,
  OneOf,
} from '../http/fields/field-rules.decorator.js';
import { agentConfigToWire } from '../governance/decision-tree/agent-config.js';
import { compact } from '../platform/compact.js';
import { AgentConfigDto } from '../options/preferences.dto.js';
import { TurnOptionsDto } from '../options/turn-options.dto.js';
import { mustBe, says } from '../http/fields/field-words.js';
import { isStorable } from '../storage/connection.js';
import { keyScopes, type KeyScope } from '../storage/governance-schema.js';
import { sessionOrigins, type SessionOrigin } from '../storage/schema.js';
import type { PermissionRules } from '../storage/shapes/stored-options.js';
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
  @MayBeAbsent()
  @RequiredText(
    'Absolute path of the folder the session works in. Default: the caller’s own folder.',
    '/home/me/project',
  )
  projectRoot?: string;

  @OptionalText('Persona of the session. Default: WORKING_ITEMS.', 'WORKING_ITEMS')
  persona?: string;

  @OptionalText(
    'Permission mode: direct, acceptEdits, dontAsk or plan, which any other text means. Default: direct.',
    'direct',
  )
  mode?: string;

  @MayBeAbsent()
  @Nested(AgentConfigDto, {
    description: 'Limits of its turns.',
    example: { max_iterations: 10 },
  })
  agentConfig?: AgentConfigDto;

  @ApiPropertyOptional({
    ...jsonObject,
    description:
      'Rules for its tools: lists allow, ask and deny, of at most 100 rules together and 500 characters each.',
    example: { allow: ['bash(git status*)'], ask: ['write(docs/**)'], deny: ['grep'] },
  })
  @Allow()
  permissions?: Readonly<Record<string, unknown>>;

  @ApiPropertyOptional({
    ...jsonObject,
    description:
      'MCP servers of its turns, by name: definitions over http, or headers and env for servers of the configuration. Never shown again.',
    example: {
      docs: { url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer …' } },
    },
  })
  @Allow()
  mcpServers?: Readonly<Record<string, unknown>>;
}

/** Most characters of a title that a user gives. */
const LONGEST_TITLE = 200;
const title = mustBe(`a text of 1 to ${LONGEST_TITLE} characters, or null`);

export class RenameSessionDto {
  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: LONGEST_TITLE,
    description: 'The new title; null: the beginning of the first message again.',
    example: 'Release 2.4',
  })
  @Trimmed()
  @ValidateIf((_body: unknown, value: unknown) => value !== null)
  @IsString(title)
  @CharacterCount({ min: 1, max: LONGEST_TITLE }, title)
  @Rule('isStorable', (value) => typeof value === 'string' && isStorable(value), title)
  title!: string | null;
}

/** The folder whose sessions are asked for. */
export class ProjectQueryDto {
  @RequiredText('Absolute path of the folder.', '/home/me/project')
  projectRoot!: string;
}

export class BootSessionDto {
  @RequiredText('Id of the session.')
  sessionId!: string;

  @ApiPropertyOptional({ type: TurnOptionsDto, description: 'As on a turn.' })
  @Allow()
  opts?: TurnOptionsDto;
}

/** The point of another session that a fork began at. */
export class ForkPointDto {
  @ApiProperty({ type: String, description: 'Id of the source, which may be deleted since.' })
  sessionId!: string;

  @ApiProperty({ type: String, description: 'Id of a turn of the source.' })
  turnId!: string;

  @ApiProperty({ enum: forkPositions, description: 'Whether the history ends before that turn.' })
  position!: ForkPosition;
}

/** Fields of every view of a session. */
export class SessionFieldsDto {
  @ApiProperty({ type: String, example: 'sess_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11' })
  sessionId!: string;

  @ApiProperty({ type: String })
  projectRoot!: string;

  @ApiProperty({ type: String, example: 'WORKING_ITEMS' })
  persona!: string;

  @ApiProperty({ type: String, example: 'direct' })
  mode!: string;

  @ApiPropertyOptional({
    enum: sessionOrigins,
    description: 'The wire that created it. Absent: the harness.',
  })
  origin?: SessionOrigin;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'When it was used last.' })
  updatedAt!: string;

  @ApiPropertyOptional({
    type: ForkPointDto,
    description: 'Where its history comes from. Absent: it began empty.',
  })
  forkedFrom?: ForkPointDto;
}

export class SessionRecordDto extends SessionFieldsDto {
  @ApiPropertyOptional({ type: String, description: 'Set by its user. Absent: none is set.' })
  title?: string;

  @ApiPropertyOptional({
    type: String,
    description:
      'The turn that its turn is a replay of: it takes no other turns. Absent: it is no replay.',
  })
  replayOf?: string;

  @ApiPropertyOptional({ type: String, description: 'Set by the first turn or boot; then stable.' })
  claudeSessionId?: string;

  @ApiPropertyOptional({ type: String, description: 'Of persona and mode; set by a boot.' })
  bootFingerprint?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time' })
  bootedAt?: string;

  @ApiPropertyOptional({ type: String, description: 'Model of the last boot or turn.' })
  model?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Limits of its turns, where it has some.',
  })
  agentConfig?: Record<string, number>;

  @ApiPropertyOptional({
    ...schemaOf('PermissionRules'),
    description: 'Rules for its tools, where it has some.',
  })
  permissions?: PermissionRules;
}

export class SessionDto {
  @ApiProperty({ type: SessionRecordDto })
  session!: SessionRecordDto;
}

export class SessionListDto {
  @ApiProperty({ type: [SessionRecordDto], description: 'Oldest first.' })
  sessions!: SessionRecordDto[];
}

export class BootDto {
  @ApiProperty({ type: String })
  claudeSessionId!: string;

  @ApiProperty({ type: String })
  bootFingerprint!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  bootedAt!: string;
}

export class BootedSessionDto extends SessionDto {
  @ApiProperty({ type: BootDto })
  boot!: BootDto;
}

export class SessionDefaultsDto {
  @ApiProperty({ type: String, example: 'local' })
  principal!: string;

  @ApiProperty({ type: Boolean, description: 'Whether the server has API keys.' })
  isKeyed!: boolean;

  @ApiProperty({ isArray: true, enum: keyScopes, description: 'What the caller may do.' })
  scopes!: readonly KeyScope[];

  @ApiProperty({ type: String, description: 'The folder of a session that names none.' })
  projectRoot!: string;

  @ApiProperty({ type: String, example: 'WORKING_ITEMS' })
  persona!: string;

  @ApiProperty({ type: String, example: 'direct' })
  mode!: string;

  @ApiProperty({ type: 'integer', description: 'Bytes of the largest file that a turn takes.' })
  attachmentBytes!: number;
}

export class ListedSessionDto extends SessionFieldsDto {
  @ApiPropertyOptional({
    type: String,
    description:
      'As its user called it, or the beginning of the first message, on one line of at most 80 characters.',
  })
  title?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'The turn that is queued, runs, or waits for people.',
  })
  activeTurnId?: string;
}

export class SessionPageDto extends PageDto {
  @ApiProperty({ type: [ListedSessionDto], description: 'The one used last first.' })
  sessions!: ListedSessionDto[];
}

const LONGEST_SEARCH = 200;

/** A page of the caller's sessions, of all or of some. */
export class SessionQueryDto extends PageQueryDto {
  @OptionalText('Text of the title, of the first message or of the folder, in capitals or not.')
  @MaxLength(LONGEST_SEARCH, says(`'$field' must have at most ${LONGEST_SEARCH} characters`))
  search?: string;

  @EmptyIsAbsent()
  @OneOf(['show', 'hide', 'only'], {
    description: 'Sessions that schedules made: with the others, not, or alone. Default: show.',
  })
  scheduled?: 'show' | 'hide' | 'only';
}

export class TodoDto implements Todo {
  @ApiProperty({ type: String, example: 'tests' })
  id!: string;

  @ApiProperty({ type: String, example: 'Write the tests' })
  content!: string;

  @ApiProperty({ enum: todoStatuses })
  status!: Todo['status'];
}

export class TodoListDto {
  @ApiProperty({ type: [TodoDto], description: 'In the order the model gave them.' })
  todos!: TodoDto[];
}

export function viewSession(row: SessionRow): SessionRecordDto {
  return {
    sessionId: row.id,
    projectRoot: row.projectRoot,
    persona: row.persona,
    mode: row.mode,
    ...(row.origin === 'harness' ? {} : { origin: row.origin }),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    ...compact({
      title: row.title ?? undefined,
      claudeSessionId: row.claudeSessionId ?? undefined,
      bootFingerprint: row.bootFingerprint ?? undefined,
      bootedAt: row.bootedAt?.toISOString(),
      model: row.model ?? undefined,
      agentConfig: row.agentConfig === null ? undefined : agentConfigToWire(row.agentConfig),
      permissions: row.permissions ?? undefined,
      replayOf: row.replayOf ?? undefined,
    }),
    ...viewForkPoint(row.forkedFrom),
  };
}

export function viewPagedSession(row: PagedSession): ListedSessionDto {
  const title = row.title ?? sessionTitle(row.firstRequest);
  return {
    sessionId: row.id,
    projectRoot: row.projectRoot,
    persona: row.persona,
    mode: row.mode,
    ...(row.origin === 'harness' ? {} : { origin: row.origin }),
    ...(title === undefined ? {} : { title }),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
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
