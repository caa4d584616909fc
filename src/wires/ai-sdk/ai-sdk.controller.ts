import { Body, Controller, Get, Headers, HttpCode, Param, Post, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller } from '../../access/caller.decorator.js';
import { Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { BodyLimit } from '../../http/body-limit.decorator.js';
import type { FrameStream } from '../../http/streams/frame-batch.js';
import { parseIdempotencyKey } from '../../http/request-headers.js';
import { Streams } from '../../http/streams/stream.interceptor.js';
import { InterruptedDto } from '../harness/turn.dto.js';
import { ApiUiMessageStream } from './ai-sdk-api.decorator.js';
import { AiSdkService } from './ai-sdk-service.js';
import { ChatDto } from './ai-sdk.dto.js';
import { readChatRequest } from './chat-request.js';
import { exactFields } from '../../http/exact-body.js';

/** The reason for `@Unowned` on all routes: a chat has a name of its client's choice. */
const looksItself = 'its service looks among the caller’s own';

@ApiTags('ai-sdk')
@Controller('api/chat')
export class AiSdkController {
  constructor(private readonly chats: AiSdkService) {}

  @Post()
  @BodyLimit('conversation')
  @Streams('ai-sdk')
  @Unowned(looksItself)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'postChat',
    summary: 'Say something in a chat, or answer what it asked, and stream the rest',
  })
  @ApiBody({ type: ChatDto })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'A repeat joins the first turn. Default: made of the user message’s id.',
  })
  @ApiUiMessageStream()
  @ApiErrors(
    'INVALID_REQUEST',
    'ATTACHMENT_FAILURE',
    'SDK_FAILURE/refused',
    'SESSION_NOT_FOUND',
    'PERSONA_NOT_FOUND',
    'APPROVAL_NOT_FOUND',
    'TURN_NOT_FOUND',
    'WORKING_ROOT_INACCESSIBLE',
    'TURN_IN_PROGRESS',
    'TURN_SUPERSEDED',
    'APPROVAL_RESOLVED',
    'WORKING_ROOT_CONFLICT',
    'STREAM_EXPIRED',
    'IDEMPOTENCY_KEY_REUSED',
    'QUEUE_FULL',
    'SESSION_QUEUE_FULL',
    'SESSION_LIMIT',
    'TOO_MANY_TURNS',
    'BUDGET_EXHAUSTED',
    'MISSING_API_KEY',
    'SHUTTING_DOWN',
  )
  async chat(
    @Body() body: unknown,
    @Headers('idempotency-key') key: string | undefined,
    @Caller() principal: Principal,
    @Res() response: Response,
  ): Promise<FrameStream> {
    const call = {
      asked: await readChatRequest(exactFields(body, 'messages')),
      principal,
      idempotencyKey: parseIdempotencyKey(key),
    };
    return this.chats.chat(call, response);
  }

  @Get(':id/stream')
  @Streams('ai-sdk')
  @Unowned(looksItself)
  @ApiOperation({
    operationId: 'resumeChat',
    summary: 'Come back to the answer that a chat is getting',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Id of the last frame received: exactly what came after it is streamed.',
  })
  @ApiUiMessageStream()
  @ApiNoContentResponse({
    description:
      'No turn of the chat is open, or nothing comes after the frame; also where there is no chat.',
  })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND', 'STREAM_EXPIRED')
  async resume(
    @Param('id') chatId: string,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Caller() principal: Principal,
    @Res() response: Response,
  ): Promise<FrameStream> {
    const after = lastEventId === '' ? undefined : lastEventId;
    return this.chats.resume({ chatId, principal }, after, response);
  }

  @Post(':id/stop')
  @Unowned(looksItself)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'stopChat',
    summary: 'End the turn of a chat, also one that waits for an approval',
  })
  @ApiOkResponse({ type: InterruptedDto })
  @ApiErrors('SESSION_NOT_FOUND')
  async stop(@Param('id') chatId: string, @Caller() principal: Principal): Promise<InterruptedDto> {
    return { ok: true, ...(await this.chats.stop({ chatId, principal })) };
  }
}
