import {
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import {
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Caller, callerOf } from '../../access/caller.decorator.js';
import { Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { AfterQueryDto, cursorOf } from '../../http/paging/after-query.dto.js';
import { BodyLimit } from '../../http/body-limit.decorator.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { ErrorsAs } from '../../http/errors/error-shape.decorator.js';
import type { FrameStream } from '../../http/streams/frame-batch.js';
import { parseIdempotencyKey } from '../../http/request-headers.js';
import { Streams } from '../../http/streams/stream.interceptor.js';
import { AgentListDto } from './agent-list.dto.js';
import { AgentParamsDto, MessageParamsDto, SessionParamsDto } from './chat-request.dto.js';
import { ApiChat, ApiHolodeckStream } from './holodeck-api.decorator.js';
import { HolodeckService } from './holodeck-service.js';
import { ChatAnswerDto } from './holodeck.dto.js';
import { problemShape } from './problem.js';

/** The reason for `@Unowned`: sessions are named by ULIDs, partly in bodies that only the service parses. */
const looksItself = 'its service looks among the caller’s own';

const refusals = [
  'INVALID_REQUEST',
  'ATTACHMENT_FAILURE',
  'SDK_FAILURE/refused',
  'PERSONA_NOT_FOUND',
  'TURN_IN_PROGRESS',
  'STREAM_EXPIRED',
  'FILE_TOO_LARGE',
  'IDEMPOTENCY_KEY_REUSED',
  'QUEUE_FULL',
  'SESSION_LIMIT',
  'MISSING_API_KEY',
  'SHUTTING_DOWN',
] as const;

/** Named agents. The bodies of its chats are read by its service, not by the framework. */
@ApiTags('agents')
@ErrorsAs(problemShape)
@Controller()
export class HolodeckController {
  constructor(private readonly holodeck: HolodeckService) {}

  @Get('agents')
  @Unowned('agents are the server’s')
  @ApiOperation({
    operationId: 'listAgents',
    summary: 'The agents, with what each is for and may do',
  })
  @ApiOkResponse({ type: AgentListDto })
  async agents(): Promise<AgentListDto> {
    return this.holodeck.agents();
  }

  @Post(['agent/:name/chat', 'agent/:name/chat/multipart'])
  @BodyLimit('unread')
  @Unowned(looksItself)
  @HttpCode(200)
  @ApiOperation({ operationId: 'askAgent', summary: 'Ask an agent, and wait for the answer' })
  @ApiChat()
  @ApiOkResponse({ type: ChatAnswerDto })
  @ApiErrors(...refusals, 'INTERRUPTED', 'SDK_FAILURE/unreadable')
  chat(
    @Param() { name: agent }: AgentParamsDto,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ChatAnswerDto> {
    const asked = { agent, principal: callerOf(request), idempotencyKey: parseIdempotencyKey(key) };
    return this.holodeck.chat({ ...asked, request, response });
  }

  @Post(['agent/:name/chat/stream', 'agent/:name/chat/stream/multipart'])
  @BodyLimit('unread')
  @Streams('named-agents')
  @Unowned(looksItself)
  @ApiOperation({ operationId: 'streamAgent', summary: 'Ask an agent, and stream the answer' })
  @ApiChat()
  @ApiHolodeckStream()
  @ApiErrors(...refusals)
  async stream(
    @Param() { name: agent }: AgentParamsDto,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<FrameStream> {
    const asked = { agent, principal: callerOf(request), idempotencyKey: parseIdempotencyKey(key) };
    return this.holodeck.stream({ ...asked, request, response });
  }

  @Get('agent/:name/chat/stream/:messageId')
  @Streams('named-agents')
  @Unowned(looksItself)
  @ApiOperation({
    operationId: 'resumeAgentStream',
    summary: 'Go on with a stream, from its start or after a cursor',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Id of the last frame received.',
  })
  @ApiHolodeckStream()
  @ApiNoContentResponse({ description: 'There is nothing after the cursor, and never will be.' })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND', 'STREAM_EXPIRED')
  async resume(
    @Param() { name, messageId }: MessageParamsDto,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Query() query: AfterQueryDto,
    @Res() response: Response,
  ): Promise<FrameStream> {
    const message = { agent: name, messageId, principalId: callerOf(response.req).id };
    return this.holodeck.resume(message, cursorOf(lastEventId, query), response);
  }

  @Delete('sessions/:session_id')
  @Unowned(looksItself)
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteAgentSession',
    summary: 'Delete a session; a turn that runs in it is ended first',
  })
  @ApiNoContentResponse({ description: 'Also when there was none.' })
  @ApiErrors('INVALID_REQUEST', 'TURN_IN_PROGRESS')
  forget(@Param() { session_id }: SessionParamsDto, @Caller() caller: Principal): Promise<void> {
    return this.holodeck.forget(session_id, caller.id);
  }
}
