import { Body, Controller, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller } from '../access/caller.decorator.js';
import { HarmlessForPages, Owned, Unowned } from '../access/owned.decorator.js';
import { compact } from '../platform/compact.js';
import { boundSession, type Principal } from '../access/principal.js';
import { fieldsOf } from '../http/fields/field-rules.decorator.js';
import { SentBody } from '../http/request-body.js';
import { optionsNotice } from '../options/option-problems.js';
import { unusedFields } from '../options/unused-fields.js';
import { SessionIdDto } from '../http/id-params.dto.js';
import { ApiErrors } from '../http/errors/error-shape.js';
import { loadTodos } from './todos.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { SessionService } from './session-service.js';
import {
  BootedSessionDto,
  BootSessionDto,
  CreatedSessionDto,
  CreateSessionDto,
  ProjectQueryDto,
  RenameSessionDto,
  SessionDefaultsDto,
  SessionDto,
  SessionListDto,
  SessionPageDto,
  SessionQueryDto,
  TodoListDto,
} from './session.dto.js';

@ApiTags('sessions')
@Controller('api/harness/session')
export class SessionController {
  constructor(private readonly sessions: SessionService) {}

  /** Create a session for a project folder */
  @Post('create')
  @Unowned('what it makes is the caller’s')
  @HttpCode(200)
  @ApiErrors(
    'INVALID_REQUEST',
    'FORBIDDEN_AGENT',
    'NO_APPROVERS',
    'WORKING_ROOT_INACCESSIBLE',
    'WORKING_ROOT_CONFLICT',
    'SESSION_LIMIT',
  )
  async createSession(
    @Body() body: CreateSessionDto,
    @SentBody() sent: unknown,
    @Caller() caller: Principal,
  ): Promise<CreatedSessionDto> {
    const notice = optionsNotice(unusedFields(sent, fieldsOf(CreateSessionDto)));
    const session = await this.sessions.create(body, caller);
    return { session, ...(notice && { notices: [notice] }) };
  }

  /** Check everything a turn of the session will need */
  @Post('boot')
  @Owned({ session: 'body.sessionId' })
  @HttpCode(200)
  @ApiErrors(
    'INVALID_REQUEST',
    'FORBIDDEN_AGENT',
    'NO_APPROVERS',
    'SESSION_NOT_FOUND',
    'PERSONA_NOT_FOUND',
    'WORKING_ROOT_INACCESSIBLE',
    'WORKING_ROOT_CONFLICT',
    'INSTRUCTION_ROOT_INVALID',
    'SDK_FAILURE',
    'SDK_FAILURE/noKey',
  )
  bootSession(
    @Body() body: BootSessionDto,
    @Caller() caller: Principal,
  ): Promise<BootedSessionDto> {
    return this.sessions.boot(body.sessionId, body.opts, caller);
  }

  /** Sessions of a project folder, oldest first */
  @Get('list')
  @HarmlessForPages('it lists the session alone')
  @Unowned('it lists the caller’s own')
  @ApiErrors('INVALID_REQUEST', 'WORKING_ROOT_INACCESSIBLE', 'WORKING_ROOT_CONFLICT')
  async listProjectSessions(
    @Query() { projectRoot }: ProjectQueryDto,
    @Caller() caller: Principal,
  ): Promise<SessionListDto> {
    return { sessions: await this.sessions.list(projectRoot, caller) };
  }

  /** Who the caller is and may do, and what a session has that names nothing */
  @Get('defaults')
  @HarmlessForPages('it is about the caller alone')
  @Unowned('it is about the caller alone')
  getSessionDefaults(@Caller() caller: Principal): Promise<SessionDefaultsDto> {
    return this.sessions.defaults(caller);
  }

  /** One session */
  @Get(':id')
  @Owned({ session: 'params.id' })
  @ApiErrors('SESSION_NOT_FOUND')
  async getSession(@Param() { id }: SessionIdDto): Promise<SessionDto> {
    return { session: await this.sessions.get(id) };
  }

  /** Give a session another title */
  @Patch(':id')
  @Owned({ session: 'params.id' })
  @ApiErrors('INVALID_REQUEST', 'SESSION_NOT_FOUND')
  async renameSession(
    @Param() { id }: SessionIdDto,
    @Body() { title }: RenameSessionDto,
  ): Promise<SessionDto> {
    return { session: await this.sessions.rename(id, title) };
  }
}

@ApiTags('sessions')
@Controller('api/harness/sessions')
export class SessionListController {
  constructor(private readonly sessions: SessionService) {}

  /** Sessions of all project folders, the one used last first */
  @Get()
  @HarmlessForPages('it lists the session alone')
  @Unowned('it lists the caller’s own')
  @ApiErrors('INVALID_REQUEST')
  listSessions(
    @Caller() caller: Principal,
    @Query() page: SessionQueryDto,
  ): Promise<SessionPageDto> {
    return this.sessions.page(caller.id, { ...page, ...compact({ only: boundSession(caller) }) });
  }
}

@ApiTags('sessions')
@Controller('api/harness/sessions')
export class TodoController {
  constructor(
    private readonly sessions: SessionService,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /** Todo list of a session, as its turns left it */
  @Get(':id/todos')
  @Owned({ session: 'params.id' })
  @ApiErrors('SESSION_NOT_FOUND')
  async listTodos(@Param() { id: sessionId }: SessionIdDto): Promise<TodoListDto> {
    const session = await this.sessions.get(sessionId);
    return { todos: await loadTodos(this.db, session.sessionId) };
  }
}
