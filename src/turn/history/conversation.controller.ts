import { Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller } from '../../access/caller.decorator.js';
import { Owned } from '../../access/owned.decorator.js';
import { dayLimitsOf, type Principal } from '../../access/principal.js';
import { SessionIdDto, TurnIdDto } from '../../http/id-params.dto.js';
import { ApiErrors } from '../../http/errors/error-shape.js';
import { PageQueryDto } from '../../http/paging/page-query.dto.js';
import { ConversationService } from './conversation-service.js';
import {
  CallPageDto,
  CompactReportDto,
  LineQueryDto,
  LogPageQueryDto,
  LogPageDto,
  TurnPageDto,
} from './history.dto.js';
import { MessagePageDto, StepPageDto } from './messages.dto.js';
import { streamErrors, clientLeft } from '../state/turn-errors.js';

@ApiTags('conversations')
@Controller('api/harness')
export class ConversationController {
  constructor(private readonly conversations: ConversationService) {}

  /** Messages of a session, oldest first, a page of turns at a time */
  @Get('sessions/:id/messages')
  @Owned({ session: 'params.id' })
  @ApiErrors('INVALID_REQUEST', 'SESSION_NOT_FOUND')
  listMessages(
    @Param() { id: sessionId }: SessionIdDto,
    @Query() page: LineQueryDto,
  ): Promise<MessagePageDto> {
    return this.conversations.messages(sessionId, page);
  }

  /** Turns of a session, the newest first */
  @Get('sessions/:id/turns')
  @Owned({ session: 'params.id' })
  @ApiErrors('INVALID_REQUEST', 'SESSION_NOT_FOUND')
  listTurns(
    @Param() { id: sessionId }: SessionIdDto,
    @Query() page: LineQueryDto,
  ): Promise<TurnPageDto> {
    return this.conversations.turns(sessionId, page);
  }

  /** Events of a turn as the log has them, with their times; no wire’s frames */
  @Get('turns/:id/log')
  @Owned({ turn: 'params.id' })
  @ApiErrors(...streamErrors)
  readLog(@Param() { id: turnId }: TurnIdDto, @Query() page: LogPageQueryDto): Promise<LogPageDto> {
    return this.conversations.log(turnId, page);
  }

  /** Model calls of a turn, in order, with their parts and notices */
  @Get('turns/:id/steps')
  @Owned({ turn: 'params.id' })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND')
  listSteps(@Param() { id: turnId }: TurnIdDto, @Query() page: PageQueryDto): Promise<StepPageDto> {
    return this.conversations.steps(turnId, page);
  }

  /** Tool calls of a turn as the ledger has them, in the order of its steps */
  @Get('turns/:id/tools')
  @Owned({ turn: 'params.id' })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND')
  listToolCalls(
    @Param() { id: turnId }: TurnIdDto,
    @Query() page: PageQueryDto,
  ): Promise<CallPageDto> {
    return this.conversations.calls(turnId, page);
  }

  /** Have the conversation summarised now; its messages stay readable */
  @Post('sessions/:id/compact')
  @Owned({ session: 'params.id' })
  @HttpCode(200)
  @ApiErrors(
    'SESSION_NOT_FOUND',
    'TURN_IN_PROGRESS',
    'BUDGET_EXHAUSTED',
    'SDK_FAILURE',
    'SDK_FAILURE/unreadable',
    'MISSING_API_KEY',
  )
  compactSession(
    @Param() { id: sessionId }: SessionIdDto,
    @Caller() { limits }: Principal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CompactReportDto> {
    const gone = new AbortController();
    response.once('close', () => gone.abort(clientLeft()));
    return this.conversations.compact(sessionId, dayLimitsOf(limits), gone.signal);
  }
}
