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
import { CompactReportDto } from './compact-report.dto.js';
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
  @ApiOkResponse({
    description:
      '`{messages, nextCursor?}`: each with role, status, parts (text, thinking, file, tool), an assistant’s with its steps; `compacted` where a summary stands for it before the model.',
  })
  @ApiErrors('INVALID_REQUEST', 'SESSION_NOT_FOUND')
  messages(
    @Param('id') sessionId: string,
    @Query('cursor') from?: unknown,
    @Query('limit') most?: unknown,
  ) {
    return this.conversations.messages(sessionId, { cursor: from, limit: most });
  }

  @Get('sessions/:id/turns')
  @Owned({ session: 'params.id' })
  @ApiOperation({ operationId: 'listTurns', summary: 'Turns of a session, the newest first' })
  @ApiQuery(cursor)
  @ApiQuery(limit)
  @ApiOkResponse({
    description:
      '`{turns, nextCursor?}`: each with turnId, status, attempt, model, persona, createdAt, startedAt, endedAt, usage, and, once it has ended, outcome and reason; what is not known yet is null.',
  })
  @ApiErrors('INVALID_REQUEST', 'SESSION_NOT_FOUND')
  turns(
    @Param('id') sessionId: string,
    @Query('cursor') from?: unknown,
    @Query('limit') most?: unknown,
  ) {
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
  @ApiOkResponse({
    description:
      '`{events, nextCursor?}`: each with type, attempt, seq, at (ISO-8601) and what its type has. Without `nextCursor` there are no more yet; `turn.ended` is the last event of a turn.',
  })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND', 'STREAM_EXPIRED')
  log(
    @Param('id') turnId: string,
    @Query('cursor') from?: unknown,
    @Query('limit') most?: unknown,
  ) {
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
  @ApiOkResponse({
    description:
      '`{steps, nextCursor?}`: each with stepId, step, status, stopReason, usage, times, parts and the notices after it.',
  })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND')
  steps(
    @Param('id') turnId: string,
    @Query('cursor') from?: unknown,
    @Query('limit') most?: unknown,
  ) {
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
  @ApiOkResponse({
    description:
      '`{calls, nextCursor?}`: each with callId, step, attempt, name, input, status (claimed, success, error, denied, unknown), output, durationMs, retry (safe, idempotent, never) and times.',
  })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND')
  calls(
    @Param('id') turnId: string,
    @Query('cursor') from?: unknown,
    @Query('limit') most?: unknown,
  ) {
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
