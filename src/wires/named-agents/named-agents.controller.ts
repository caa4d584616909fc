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
  applyDecorators,
} from '@nestjs/common';
import { ApiNoContentResponse, ApiTags, ApiBody, ApiConsumes } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Caller, callerOf, HarmlessForPages, type Principal, Unowned } from '../../access/face.js';
import {
  AfterQueryDto,
  ApiErrors,
  ApiOptionalHeader,
  ApiStream,
  BodyLimit,
  cursorOf,
  ErrorsAs,
  type FrameStream,
  namedFrames,
  parseIdempotencyKey,
  Streams,
} from '../../http/face.js';
import {
  AgentListDto,
  AgentParamsDto,
  MessageParamsDto,
  SessionParamsDto,
  ChatRequestDto,
  ChatAnswerDto,
} from './named-agents.dto.js';
import { NamedAgentsService } from './named-agents-service.js';
import { problemShape } from './named-agents-errors.js';
import type { AgentFrame } from './dialect/agent-frames.js';
import { streamErrors } from '../../turn/face.js';

/** The reason for `@Unowned`: sessions are named by ULIDs, partly in bodies that only the service parses. */
const looksItself = 'its service looks among the caller’s own';

const refusals = [
  'INVALID_REQUEST',
  'ATTACHMENT_FAILURE',
  'SDK_FAILURE/refused',
  'FORBIDDEN_AGENT',
  'NO_APPROVERS',
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

/** Names of the events and the fields of their data, for the documentation. */
const events: Record<AgentFrame['event'], string> = {
  stream_start: 'session_id, message_id; the first one',
  message_delta: 'delta, message_id',
  message_reset:
    'message_id, content: every delta before it is void, and a call that has not ended was not run; the answer begins with `content` in their place',
  tool_call_start: 'tool_call_id, name, message_id',
  tool_call_args: 'tool_call_id, args_delta: the fragments of a call make its JSON',
  tool_call_end: 'tool_call_id, status (success, error)',
  stream_end:
    'message_id, tokens_used (or null), execution_time_ms, content (the whole answer), output? (the object of an agent that has one), sources? (type, title, url?, cited_text?, location?), limit? (reason, message), notices?; the last one',
  error:
    'type, title, status, detail, retryable, retryAfterMs?, requestId?; the last one, in place of `stream_end`',
};

/** Documents what a chat sends. */
function ApiChat() {
  return applyDecorators(
    ApiConsumes('application/json', 'multipart/form-data'),
    ApiBody({ type: ChatRequestDto }),
    ApiOptionalHeader('Idempotency-Key', 'A repeat in the same session joins the first turn.'),
  );
}

/** Documents the stream of a route. */
function ApiAgentStream() {
  const rows = Object.entries(events).map(([name, data]) => `- \`${name}\`: ${data}`);
  return ApiStream({
    wire: 'holodeck',
    description: [
      'Server-Sent Events. Every frame has an `id`; send the last one back as `Last-Event-ID` to `GET /agent/{name}/chat/stream/{message_id}` to go on after it. Data is one line of JSON with these fields:',
      '',
      ...rows,
    ].join('\n'),
    frames: namedFrames('HolodeckFrames'),
  });
}

/** Named agents. The bodies of its chats are read by its service, not by the framework. */
@ApiTags('agents')
@ErrorsAs(problemShape)
@Controller()
export class NamedAgentsController {
  constructor(private readonly service: NamedAgentsService) {}

  /** The agents, with what each is for and may do */
  @Get('agents')
  @HarmlessForPages('agents are the server’s')
  @Unowned('agents are the server’s')
  async listAgents(@Caller() { agents }: Principal): Promise<AgentListDto> {
    return this.service.agents(agents);
  }

  /** Ask an agent, and wait for the answer */
  @Post(['agent/:name/chat', 'agent/:name/chat/multipart'])
  @BodyLimit('unread')
  @Unowned(looksItself)
  @HttpCode(200)
  @ApiChat()
  @ApiErrors(...refusals, 'INTERRUPTED', 'SDK_FAILURE/unreadable')
  askAgent(
    @Param() { name: agent }: AgentParamsDto,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ChatAnswerDto> {
    const asked = { agent, principal: callerOf(request), idempotencyKey: parseIdempotencyKey(key) };
    return this.service.chat({ ...asked, request, response });
  }

  /** Ask an agent, and stream the answer */
  @Post(['agent/:name/chat/stream', 'agent/:name/chat/stream/multipart'])
  @BodyLimit('unread')
  @Streams('named-agents')
  @Unowned(looksItself)
  @ApiChat()
  @ApiAgentStream()
  @ApiErrors(...refusals)
  async streamAgent(
    @Param() { name: agent }: AgentParamsDto,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<FrameStream> {
    const asked = { agent, principal: callerOf(request), idempotencyKey: parseIdempotencyKey(key) };
    return this.service.stream({ ...asked, request, response });
  }

  /** Go on with a stream, from its start or after a cursor */
  @Get('agent/:name/chat/stream/:messageId')
  @Streams('named-agents')
  @Unowned(looksItself)
  @ApiOptionalHeader('Last-Event-ID', 'Id of the last frame received.')
  @ApiAgentStream()
  @ApiNoContentResponse({ description: 'There is nothing after the cursor, and never will be.' })
  @ApiErrors(...streamErrors)
  async resumeAgentStream(
    @Param() { name, messageId }: MessageParamsDto,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Query() query: AfterQueryDto,
    @Res() response: Response,
  ): Promise<FrameStream> {
    const message = { agent: name, messageId, principalId: callerOf(response.req).id };
    return this.service.resume(message, cursorOf(lastEventId, query), response);
  }

  /** Delete a session; a turn that runs in it is ended first */
  @Delete('sessions/:session_id')
  @Unowned(looksItself)
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'Also when there was none.' })
  @ApiErrors('INVALID_REQUEST', 'TURN_IN_PROGRESS')
  deleteAgentSession(
    @Param() { session_id }: SessionParamsDto,
    @Caller() caller: Principal,
  ): Promise<void> {
    return this.service.forget(session_id, caller);
  }
}
