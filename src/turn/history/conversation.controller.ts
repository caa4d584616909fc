import { Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller } from '../../access/caller.decorator.js';
import { Owned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { dayLimitsOf } from '../../governance/limits/day-budget.js';
import { ApiErrors } from '../../http/api-errors.decorator.js';
import { ConversationService } from './conversation-service.js';
import { SessionCompactor, type CompactReport } from './session-compactor.js';
import { CallPageDto } from './call-page.dto.js';
import { CompactReportDto } from './compact-report.dto.js';
import { LogPageDto } from './log-page.dto.js';
import { MessagePageDto } from './message-page.dto.js';
import { StepPageDto } from './step-page.dto.js';
import { TurnPageDto } from './turn-page.dto.js';
import { clientLeft } from '../state/turn-errors.js';

const cursor = { name: 'cursor', required: false, description: '`nextCursor` of the page before.' };
const limit = { name: 'limit', required: false, description: '1 to 200. Default: 50.' };

@ApiTags('conversations')
@Controller('api/harness')
export class ConversationController {
  constructor(
    private readonly conversations: ConversationService,
    private readonly compactor: SessionCompactor,
  ) {}

  @Get('sessions/:id/messages')
  @Owned({ session: 'params.id' })
  @ApiOperation({
    operationId: 'listMessages',
    summary: 'Messages of a session, oldest first, a page of turns at a time',
  })
  @ApiQuery(cursor)
  @ApiQuery(limit)
  @ApiOkResponse({ type: MessagePageDto })
  @ApiErrors('INVALID_REQUEST', 'SESSION_NOT_FOUND')
  messages(
    @Param('id') sessionId: string,
    @Query('cursor') from?: unknown,
    @Query('limit') most?: unknown,
  ): Promise<MessagePageDto> {
    return this.conversations.messages(sessionId, { cursor: from, limit: most });
  }

  @Get('sessions/:id/turns')
  @Owned({ session: 'params.id' })
  @ApiOperation({ operationId: 'listTurns', summary: 'Turns of a session, the newest first' })
  @ApiQuery(cursor)
  @ApiQuery(limit)
  @ApiOkResponse({ type: TurnPageDto })
  @ApiErrors('INVALID_REQUEST', 'SESSION_NOT_FOUND')
  turns(
    @Param('id') sessionId: string,
    @Query('cursor') from?: unknown,
    @Query('limit') most?: unknown,
  ): Promise<TurnPageDto> {
    return this.conversations.turns(sessionId, { cursor: from, limit: most });
  }

  @Get('turns/:id/log')
  @Owned({ turn: 'params.id' })
  @ApiOperation({
    operationId: 'readLog',
    summary: 'Events of a turn as the log has them, with their times; no wire’s frames',
  })
  @ApiQuery({
    ...cursor,
    description: '`nextCursor` of the page before, or `<turn id>:<attempt>.<seq>` of any event.',
  })
  @ApiQuery({ ...limit, description: '1 to 1000. Default: 200.' })
  @ApiOkResponse({ type: LogPageDto })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND', 'STREAM_EXPIRED')
  log(
    @Param('id') turnId: string,
    @Query('cursor') from?: unknown,
    @Query('limit') most?: unknown,
  ): Promise<LogPageDto> {
    return this.conversations.log(turnId, { cursor: from, limit: most });
  }

  @Get('turns/:id/steps')
  @Owned({ turn: 'params.id' })
  @ApiOperation({
    operationId: 'listSteps',
    summary: 'Model calls of a turn, in order, with their parts and notices',
  })
  @ApiQuery(cursor)
  @ApiQuery(limit)
  @ApiOkResponse({ type: StepPageDto })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND')
  steps(
    @Param('id') turnId: string,
    @Query('cursor') from?: unknown,
    @Query('limit') most?: unknown,
  ): Promise<StepPageDto> {
    return this.conversations.steps(turnId, { cursor: from, limit: most });
  }

  @Get('turns/:id/tools')
  @Owned({ turn: 'params.id' })
  @ApiOperation({
    operationId: 'listToolCalls',
    summary: 'Tool calls of a turn as the ledger has them, in the order of its steps',
  })
  @ApiQuery(cursor)
  @ApiQuery(limit)
  @ApiOkResponse({ type: CallPageDto })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND')
  calls(
    @Param('id') turnId: string,
    @Query('cursor') from?: unknown,
    @Query('limit') most?: unknown,
  ): Promise<CallPageDto> {
    return this.conversations.calls(turnId, { cursor: from, limit: most });
  }

  @Post('sessions/:id/compact')
  @Owned({ session: 'params.id' })
  @HttpCode(200)
  @ApiOperation({
    operationId: 'compactSession',
    summary: 'Have the conversation summarised now; its messages stay readable',
  })
  @ApiOkResponse({ type: CompactReportDto })
  @ApiErrors(
    'SESSION_NOT_FOUND',
    'TURN_IN_PROGRESS',
    'BUDGET_EXHAUSTED',
    'SDK_FAILURE',
    'SDK_FAILURE/unreadable',
    'MISSING_API_KEY',
  )
  compact(
    @Param('id') sessionId: string,
    @Caller() { limits }: Principal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CompactReport> {
    const gone = new AbortController();
    response.once('close', () => gone.abort(clientLeft()));
    return this.compactor.compact(sessionId, dayLimitsOf(limits), gone.signal);
  }
}
