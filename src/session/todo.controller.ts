import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Owned } from '../access/owned.decorator.js';
import { SessionIdDto } from '../http/id-params.dto.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { TodoStore } from '../notices/todos.js';
import { SessionService } from './session-service.js';
import { TodoListDto } from './todo.dto.js';

@ApiTags('sessions')
@Controller('api/harness/sessions')
export class TodoController {
  constructor(
    private readonly sessions: SessionService,
    private readonly todos: TodoStore,
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
    return { todos: await this.todos.get(session.sessionId) };
  }
}
