import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../../access/caller.decorator.js';
import { Owned, Unowned } from '../../access/owned.decorator.js';
import type { Principal } from '../../access/principal.js';
import { ApiErrors } from '../../http/errors/api-errors.decorator.js';
import { TurnIdDto } from '../../http/id-params.dto.js';
import { badCursor } from '../../http/paging/page-query.dto.js';
import { compact } from '../../platform/compact.js';
import {
  FeedbackKeyDto,
  FeedbackListDto,
  FeedbackPageDto,
  FeedbackQueryDto,
  GivenFeedbackDto,
  OneFeedbackDto,
} from './feedback.dto.js';
import { FeedbackStore } from './feedback-store.js';
import { formatPageToken, parsePageToken } from './page-feedback.js';
import { viewFeedback } from './view-feedback.js';

@ApiTags('feedback')
@Controller('api/harness')
export class FeedbackController {
  constructor(private readonly store: FeedbackStore) {}

  @Put('turns/:id/feedback')
  @Owned({ turn: 'params.id' })
  @ApiOperation({
    operationId: 'setFeedback',
    summary: 'Judge a turn: one value for each key, which the next one replaces',
  })
  @ApiOkResponse({ type: OneFeedbackDto })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND', 'FEEDBACK_LIMIT')
  async set(
    @Param() { id }: TurnIdDto,
    @Body() { key, value, comment = null, messageId = null }: GivenFeedbackDto,
    @Caller() { id: principalId }: Principal,
  ): Promise<OneFeedbackDto> {
    const given = { key, value, comment, messageId };
    return { feedback: await this.store.set(id, given, principalId) };
  }

  @Get('turns/:id/feedback')
  @Owned({ turn: 'params.id' })
  @ApiOperation({ operationId: 'getFeedback', summary: 'Your feedback on a turn, by key' })
  @ApiOkResponse({ type: FeedbackListDto })
  @ApiErrors('TURN_NOT_FOUND')
  async ofTurn(
    @Param() { id }: TurnIdDto,
    @Caller() { id: principalId }: Principal,
  ): Promise<FeedbackListDto> {
    return { feedback: await this.store.ofTurn(id, principalId) };
  }

  @Delete('turns/:id/feedback/:key')
  @Owned({ turn: 'params.id' })
  @ApiOperation({ operationId: 'deleteFeedback', summary: 'Take your feedback of a key back' })
  @ApiOkResponse({ type: OneFeedbackDto })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND', 'FEEDBACK_NOT_FOUND')
  async delete(
    @Param() { id, key }: FeedbackKeyDto,
    @Caller() { id: principalId }: Principal,
  ): Promise<OneFeedbackDto> {
    return { feedback: await this.store.delete(id, key, principalId) };
  }

  @Get('feedback')
  @Unowned('it lists the caller’s own')
  @ApiOperation({
    operationId: 'listFeedback',
    summary: 'Your feedback on all turns, the newest first, by key, value, agent, model and time',
  })
  @ApiOkResponse({ type: FeedbackPageDto })
  @ApiErrors('INVALID_REQUEST')
  async page(
    @Query() { cursor, limit, since, until, ...filter }: FeedbackQueryDto,
    @Caller() { id: principalId }: Principal,
  ): Promise<FeedbackPageDto> {
    const after = cursor === undefined ? undefined : parsePageToken(cursor);
    if (cursor !== undefined && after === undefined) throw badCursor();
    const times = { since: timeOf(since), until: timeOf(until) };
    const found = await this.store.page(principalId, {
      ...filter,
      ...times,
      after,
      limit: limit + 1,
    });
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const nextCursor = last === undefined ? undefined : formatPageToken(last);
    return { feedback: page.map(viewFeedback), ...compact({ nextCursor }) };
  }
}

function timeOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
