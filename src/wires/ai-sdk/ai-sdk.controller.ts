import {
  applyDecorators,
  Body,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Res,
  Query,
} from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiNoContentResponse,
  ApiQuery,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Caller, ForPages, type Principal, Unowned } from '../../access/face.js';
import {
  ApiErrors,
  ApiOptionalHeader,
  ApiStream,
  BodyLimit,
  exactFields,
  frameOf,
  type FrameStream,
  PageQueryDto,
  parseIdempotencyKey,
  Streams,
  textFrame,
} from '../../http/face.js';
import { InterruptedDto } from '../harness/interrupt.dto.js';
import { AiSdkService } from './ai-sdk-service.js';
import { ChatDto, ChatListDto, ChatPageDto, ChatPageQueryDto } from './ai-sdk.dto.js';
import { aiSdkVersions, VERSION_FIELD, type AiSdkVersion } from './dialect/ai-sdk-version.js';
import { readChatRequest, readVersion } from './chat-request.js';
import { ChatHistory } from './chat-history.js';
import { streamErrors, turnErrors } from '../../turn/face.js';

/** Parts of the stream that are this server's own, for the documentation. */
const dataParts: Record<string, string> = {
  'data-approval':
    'status (pending, resolved), toolCallId, kind, reason, expiresAt, onTimeout, awaits?; then decision, by, message?, input?; its id is the approval’s',
  'data-tool-progress': 'toolCallId, note, elapsedMs; transient',
  'data-subagent': 'toolCallId, name, status, text (the newest 2,000 characters), isCut',
  'data-notice': 'kind, level, text, metadata?',
  'data-attachment-rejected': 'name, reason, index',
  'data-context': 'tokens, maxTokens?',
  'data-queue': 'position; 0: it waits no more; reason, where no worker could be told of it',
  'data-reauthenticate':
    'reason (expired, ended): the token ended; come back with another; transient, without an id',
  'data-stalled':
    'silentMs, leaseUntil: the worker gives no sign of life; another takes the turn over then; transient, without an id',
  'data-joined': 'messageId, afterStep, text',
  'data-recovering': 'attempt, reason',
  'data-discard':
    'step, partIds: the parts since the last step-start are taken back; version 7 has `reset-step`',
};

/** The version that a request names. @throws TypedError INVALID_REQUEST 400. */
const Version = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const { headers, query } = context.switchToHttp().getRequest<Request>();
  return readVersion(headers[VERSION_FIELD], query[VERSION_FIELD]);
});

/** Documents the version that a request names. */
function ApiVersion() {
  const schema = { type: 'string' as const, enum: [...aiSdkVersions], default: '6' };
  const name = VERSION_FIELD;
  const description =
    'The major of the page’s package `ai`: 7 from 7.0.70 on; `7-steering`, from 7.0.163 on, has `steering-message` in place of `data-joined`.';
  return applyDecorators(
    ApiHeader({ name, required: false, description, schema }),
    ApiQuery({ name, required: false, description: 'As the header.', schema }),
  );
}

/** Documents the stream of a route. */
function ApiUiMessageStream() {
  const rows = Object.entries(dataParts).map(([type, fields]) => `- \`${type}\`: ${fields}`);
  return ApiStream({
    wire: 'ai-sdk',
    description: [
      'The UI message stream of the AI SDK, version 1: Server-Sent Events without a name, each with an id; the last one is `[DONE]`. Before an `error`, `message-metadata` has `error`: code, status, retryable, retryAfterMs?, requestId?. Parts of this server’s own:',
      '',
      ...rows,
    ].join('\n'),
    frames: [frameOf({ $ref: getSchemaPath('AiSdkChunk') }), textFrame('[DONE]')],
  });
}

/** The reason for `@Unowned` on all routes: a chat has a name of its client's choice. */
const looksItself = 'its service looks among the caller’s own';

/** Why a page token that is bound to a session may use a route. */
const inChat = 'a chat that is named by the id of a session is that session';

@ApiTags('ai-sdk')
@Controller('api/chat')
export class AiSdkController {
  constructor(private readonly chats: AiSdkService) {}

  /** Send a message to a chat, or answer its questions, and stream the rest */
  @Post()
  @ForPages({ type: 'bound', why: inChat, session: 'body.id' })
  @BodyLimit('conversation')
  @Streams('ai-sdk')
  @Unowned(looksItself)
  @HttpCode(200)
  @ApiBody({ type: ChatDto })
  @ApiOptionalHeader(
    'Idempotency-Key',
    'A repeat joins the first turn. Default: made of the user message’s id.',
  )
  @ApiVersion()
  @ApiUiMessageStream()
  @ApiErrors(
    'SESSION_NOT_FOUND',
    'FORBIDDEN_AGENT',
    'NO_APPROVERS',
    'PERSONA_NOT_FOUND',
    'APPROVAL_NOT_FOUND',
    'TURN_NOT_FOUND',
    'TURN_IN_PROGRESS',
    'TURN_SUPERSEDED',
    'APPROVAL_RESOLVED',
    'FORBIDDEN_APPROVER',
    'STREAM_EXPIRED',
    'QUEUE_FULL',
    'SESSION_QUEUE_FULL',
    'SESSION_LIMIT',
    ...turnErrors,
  )
  async postChat(
    @Body() body: unknown,
    @Headers('idempotency-key') key: string | undefined,
    @Version() version: AiSdkVersion,
    @Caller() principal: Principal,
    @Res() response: Response,
  ): Promise<FrameStream> {
    const call = {
      asked: await readChatRequest(exactFields(body, 'messages')),
      principal,
      version,
      idempotencyKey: parseIdempotencyKey(key),
    };
    return this.chats.chat(call, response);
  }

  /** Resume the answer that a chat is receiving */
  @Get(':id/stream')
  @ForPages({ type: 'bound', why: inChat, session: 'params.id' })
  @Streams('ai-sdk')
  @Unowned(looksItself)
  @ApiOptionalHeader(
    'Last-Event-ID',
    'Id of the last frame received: exactly what came after it is streamed; its whole turn where the frame is of another version. The id of a turn, as `activeTurnId` of the history: all of that turn, also where it ended meanwhile.',
  )
  @ApiVersion()
  @ApiUiMessageStream()
  @ApiNoContentResponse({
    description:
      'No turn of the chat is open, or nothing comes after the frame; also where there is no chat.',
  })
  @ApiErrors('SESSION_NOT_FOUND', ...streamErrors)
  async resumeChat(
    @Param('id') chatId: string,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Version() version: AiSdkVersion,
    @Caller() principal: Principal,
    @Res() response: Response,
  ): Promise<FrameStream> {
    const last = { version, lastEventId: lastEventId === '' ? undefined : lastEventId };
    return this.chats.resume({ chatId, principal }, last, response);
  }

  /** End the turn of a chat, even if it waits for an approval */
  @Post(':id/stop')
  @ForPages({ type: 'bound', why: inChat, session: 'params.id' })
  @Unowned(looksItself)
  @HttpCode(200)
  @ApiErrors('SESSION_NOT_FOUND')
  async stopChat(
    @Param('id') chatId: string,
    @Caller() principal: Principal,
  ): Promise<InterruptedDto> {
    return { ok: true, ...(await this.chats.stop({ chatId, principal })) };
  }
}

@ApiTags('ai-sdk')
@Controller('api')
export class ChatHistoryController {
  constructor(private readonly history: ChatHistory) {}

  /** Chats, the one used last first */
  @Get('chats')
  @Unowned('it lists the caller’s own')
  @ApiErrors('INVALID_REQUEST')
  listChats(@Caller() { id }: Principal, @Query() page: PageQueryDto): Promise<ChatListDto> {
    return this.history.list(id, page);
  }

  /** The last messages of a chat, for a page that was reloaded */
  @Get('chat/:id')
  @ForPages({ type: 'bound', why: inChat, session: 'params.id' })
  @Unowned('its service looks among the caller’s own')
  @ApiVersion()
  @ApiErrors('INVALID_REQUEST', 'SESSION_NOT_FOUND')
  readChat(
    @Param('id') chatId: string,
    @Caller() principal: Principal,
    @Query() page: ChatPageQueryDto,
    @Version() version: AiSdkVersion,
  ): Promise<ChatPageDto> {
    return this.history.read({ chatId, principal }, page, version);
  }
}
