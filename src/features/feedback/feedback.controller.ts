import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, Owned, type Principal, Unowned } from '../../access/face.js';
import { ApiErrors, TurnIdDto } from '../../http/face.js';
import {
  FeedbackKeyDto,
  FeedbackListDto,
  FeedbackPageDto,
  FeedbackQueryDto,
  GivenFeedbackDto,
  OneFeedbackDto,
} from './feedback.dto.js';
import { FeedbackService } from './feedback-service.js';

@ApiTags('feedback')
@Controller('api/harness')
export class FeedbackController {
  constructor(private readonly feedback: FeedbackService) {}

  /** Judge a turn: one value for each key, which the next one replaces */
  @Put('turns/:id/feedback')
  @Owned({ turn: 'params.id' })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND', 'FEEDBACK_LIMIT')
  async setFeedback(
    @Param() { id }: TurnIdDto,
    @Body() body: GivenFeedbackDto,
    @Caller() { id: principalId }: Principal,
  ): Promise<OneFeedbackDto> {
    return { feedback: await this.feedback.set(id, body, principalId) };
  }

  /** Your feedback on a turn, by key */
  @Get('turns/:id/feedback')
  @Owned({ turn: 'params.id' })
  @ApiErrors('TURN_NOT_FOUND')
  async getFeedback(
    @Param() { id }: TurnIdDto,
    @Caller() { id: principalId }: Principal,
  ): Promise<FeedbackListDto> {
    return { feedback: await this.feedback.ofTurn(id, principalId) };
  }

  /** Take your feedback of a key back */
  @Delete('turns/:id/feedback/:key')
  @Owned({ turn: 'params.id' })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND', 'FEEDBACK_NOT_FOUND')
  async deleteFeedback(
    @Param() { id, key }: FeedbackKeyDto,
    @Caller() { id: principalId }: Principal,
  ): Promise<OneFeedbackDto> {
    return { feedback: await this.feedback.delete(id, key, principalId) };
  }

  /** Your feedback on all turns, the newest first, by key, value, agent, model and time */
  @Get('feedback')
  @Unowned('it lists the caller’s own')
  @ApiErrors('INVALID_REQUEST')
  listFeedback(
    @Query() query: FeedbackQueryDto,
    @Caller() { id: principalId }: Principal,
  ): Promise<FeedbackPageDto> {
    return this.feedback.page(principalId, query);
  }
}
