import { Body, Controller, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../access/caller.decorator.js';
import { Owned, Unowned } from '../access/owned.decorator.js';
import type { Principal } from '../access/principal.js';
import { SessionIdDto } from '../http/id-params.dto.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { loadTodos } from '../notices/todos.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { SessionService } from './session-service.js';
import {
  BootedSessionDto,
  BootSessionDto,
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

  @Post('create')
  @Unowned('what it makes is the caller’s')
  @HttpCode(200)
  @ApiOperation({ operationId: 'createSession', summary: 'Create a session for a project folder' })
  @ApiOkResponse({ type: SessionDto })
  @ApiErrors(
    'INVALID_REQUEST',
    'WORKING_ROOT_INACCESSIBLE',
    'WORKING_ROOT_CONFLICT',
    'SESSION_LIMIT',
  )
  async create(@Body() body: CreateSessionDto, @Caller() caller: Principal): Promise<SessionDto> {
    return { session: await this.sessions.create(body, caller) };
  }

  @Post('boot')
  @Owned({ session: 'body.sessionId' })
  @HttpCode(200)
  @ApiOperation({
    operationId: 'bootSession',
    summary: 'Check everything a turn of the session will need',
  })
  @ApiOkResponse({ type: BootedSessionDto })
  @ApiErrors(
    'INVALID_REQUEST',
    'SESSION_NOT_FOUND',
    'PERSONA_NOT_FOUND',
    'WORKING_ROOT_INACCESSIBLE',
    'WORKING_ROOT_CONFLICT',
    'INSTRUCTION_ROOT_INVALID',
    'SDK_FAILURE',
    'SDK_FAILURE/noKey',
  )
  boot(@Body() body: BootSessionDto, @Caller() caller: Principal): Promise<BootedSessionDto> {
    return this.sessions.boot(body.sessionId, body.opts, caller);
  }

  @Get('list')
  @Unowned('it lists the caller’s own')
  @ApiOperation({
    operationId: 'listProjectSessions',
    summary: 'Sessions of a project folder, oldest first',
  })
  @ApiOkResponse({ type: SessionListDto })
  @ApiErrors('INVALID_REQUEST', 'WORKING_ROOT_INACCESSIBLE', 'WORKING_ROOT_CONFLICT')
  async list(
    @Query() { projectRoot }: ProjectQueryDto,
    @Caller() caller: Principal,
  ): Promise<SessionListDto> {
    return { sessions: await this.sessions.list(projectRoot, caller) };
  }

  @Get('defaults')
  @Unowned('it is about the caller alone')
  @ApiOperation({
    operationId: 'getSessionDefaults',
    summary: 'Who the caller is and may do, and what a session has that names nothing',
  })
  @ApiOkResponse({ type: SessionDefaultsDto })
  defaults(@Caller() caller: Principal): Promise<SessionDefaultsDto> {
    return this.sessions.defaults(caller);
  }

  @Get(':id')
  @Owned({ session: 'params.id' })
  @ApiOperation({ operationId: 'getSession', summary: 'One session' })
  @ApiOkResponse({ type: SessionDto })
  @ApiErrors('SESSION_NOT_FOUND')
  async get(@Param() { id }: SessionIdDto): Promise<SessionDto> {
    return { session: await this.sessions.get(id) };
  }

  @Patch(':id')
  @Owned({ session: 'params.id' })
  @ApiOperation({ operationId: 'renameSession', summary: 'Give a session another title' })
  @ApiOkResponse({ type: SessionDto })
  @ApiErrors('INVALID_REQUEST', 'SESSION_NOT_FOUND')
  async rename(
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

  @Get()
  @Unowned('it lists the caller’s own')
  @ApiOperation({
    operationId: 'listSessions',
    summary: 'Sessions of all project folders, the one used last first',
  })
  @ApiOkResponse({ type: SessionPageDto })
  @ApiErrors('INVALID_REQUEST')
  list(@Caller() caller: Principal, @Query() page: SessionQueryDto): Promise<SessionPageDto> {
    return this.sessions.page(caller.id, page);
  }
}

@ApiTags('sessions')
@Controller('api/harness/sessions')
export class TodoController {
  constructor(
    private readonly sessions: SessionService,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  @Get(':id/todos')
  @Owned({ session: 'params.id' })
  @ApiOperation({
    operationId: 'listTodos',
    summary: 'Todo list of a session, as its turns left it',
  })
  @ApiOkResponse({ type: TodoListDto })
  @ApiErrors('SESSION_NOT_FOUND')
  async list(@Param() { id: sessionId }: SessionIdDto): Promise<TodoListDto> {
    const session = await this.sessions.get(sessionId);
    return { todos: await loadTodos(this.db, session.sessionId) };
  }
}
