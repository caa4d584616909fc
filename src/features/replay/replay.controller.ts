import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller, NoNewSessionForPages, Owned, type Principal } from '../../access/face.js';
import {
  ApiErrors,
  ApiOptionalHeader,
  PageQueryDto,
  parseIdempotencyKey,
  TurnIdDto,
} from '../../http/face.js';
import {
  describeDisposition,
  eventsUrl,
  OneTurnDto,
  turnErrors,
  TurnService,
} from '../../turn/face.js';
import {
  TurnComparisonDto,
  CompareQueryDto,
  ReplayPageDto,
  WantedReplayDto,
} from './replay.dto.js';
import { ReplayService } from './replay-service.js';

@ApiTags('replays')
@Controller('api/harness/turns/:id')
export class ReplayController {
  constructor(
    private readonly replays: ReplayService,
    private readonly turns: TurnService,
  ) {}

  /** Run an ended turn again, with another model, agent or options, on recorded results */
  @Post('replay')
  @NoNewSessionForPages()
  @HttpCode(202)
  @Owned({ turn: 'params.id' })
  @ApiOptionalHeader('Idempotency-Key', 'A repeat answers with the first replay.')
  @ApiAcceptedResponse({
    type: OneTurnDto,
    description: 'The turn of the replay. `Location` is where its events are.',
  })
  @ApiErrors(
    'TURN_NOT_FOUND',
    'FORBIDDEN_AGENT',
    'NO_APPROVERS',
    'PERSONA_NOT_FOUND',
    'TURN_IN_PROGRESS',
    'SESSION_LIMIT',
    'QUEUE_FULL',
    'INSTRUCTION_ROOT_INVALID',
    ...turnErrors,
  )
  async replayTurn(
    @Param() { id }: TurnIdDto,
    @Body() { model, agent, opts, tools }: WantedReplayDto,
    @Headers('idempotency-key') key: string | undefined,
    @Caller() principal: Principal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OneTurnDto> {
    const idempotencyKey = parseIdempotencyKey(key);
    const asked = { model, agent, opts, tools, principal, idempotencyKey };
    const { turnId, sessionId, disposition } = await this.replays.replay(id, asked);
    response.set({
      'X-Turn-Id': turnId,
      'X-Session-Id': sessionId,
      'X-Turn-Disposition': describeDisposition(disposition),
      Location: eventsUrl(turnId),
    });
    return { turn: await this.turns.get(turnId) };
  }

  /** Replays of a turn, the newest first */
  @Get('replays')
  @Owned({ turn: 'params.id' })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND')
  listReplays(@Param() { id }: TurnIdDto, @Query() page: PageQueryDto): Promise<ReplayPageDto> {
    return this.replays.page(id, page);
  }

  /** Two turns side by side: what they cost, how long they took, their calls, their text */
  @Get('compare')
  @Owned({ turn: ['params.id', 'query.with'] })
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND')
  compareTurns(
    @Param() { id }: TurnIdDto,
    @Query() { with: other }: CompareQueryDto,
  ): Promise<TurnComparisonDto> {
    return this.replays.compare(id, other);
  }
}
