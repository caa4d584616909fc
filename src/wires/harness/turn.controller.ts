import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller, Owned, type Principal } from '../../access/face.js';
import {
  AfterQueryDto,
  ApiErrors,
  ApiOptionalHeader,
  cursorOf,
  fieldsOf,
  type FrameStream,
  parseIdempotencyKey,
  SentBody,
  SessionIdDto,
  Streams,
  TurnIdDto,
  WholeAnswer,
} from '../../http/face.js';
import { unusedFields } from '../../options/face.js';
import { sessionNotFound } from '../../session/face.js';
import {
  describeDisposition,
  eventsUrl,
  OneTurnDto,
  streamErrors,
  type SubmittedTurn,
  turnErrors,
  TurnService,
} from '../../turn/face.js';
import { TurnStreams } from '../chat/turn-streams.js';
import {
  RequestedAnswer,
  type AnswerKind,
  ApiHarnessStream,
  ApiTurnAnswers,
} from './harness-api.decorator.js';
import { harnessDialect } from './dialect/harness.js';
import { resultFold } from './dialect/harness-result.js';
import { InterruptDto, InterruptedDto, OkDto } from './interrupt.dto.js';
import { TurnDto } from './turn.dto.js';

@ApiTags('turns')
@Controller('api/harness')
export class TurnController {
  constructor(
    private readonly turns: TurnService,
    private readonly streams: TurnStreams,
  ) {}

  /** Run a turn; stream its events, await its result, or come back for it */
  @Post('turn')
  @Streams('harness')
  @Owned({ session: 'body.sessionId' })
  @ApiOptionalHeader('Idempotency-Key', 'A repeat joins the first turn.')
  @ApiOptionalHeader('Prefer', '`respond-async`: answer 202 once the turn is accepted.')
  @ApiTurnAnswers()
  @ApiErrors(
    'SESSION_NOT_FOUND',
    'TURN_NOT_FOUND',
    'FORBIDDEN_AGENT',
    'NO_APPROVERS',
    'PERSONA_NOT_FOUND',
    'TURN_IN_PROGRESS',
    'TURN_SUPERSEDED',
    'STREAM_EXPIRED',
    'QUEUE_FULL',
    'SESSION_QUEUE_FULL',
    'INSTRUCTION_ROOT_INVALID',
    ...turnErrors,
  )
  async postTurn(
    @Body() body: TurnDto,
    @SentBody() sent: unknown,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Caller() principal: Principal,
    @RequestedAnswer() answer: AnswerKind,
    @Res() response: Response,
  ): Promise<FrameStream | WholeAnswer> {
    const { sessionId, message, opts, attachments, instructions } = body;
    const submitted = await this.turns.submit({
      sessionId,
      principal,
      message,
      opts,
      attachments: attachments ?? [],
      keepsFiles: attachments === undefined,
      instructions,
      idempotencyKey: parseIdempotencyKey(idempotencyKey),
      problems: unusedFields(sent, fieldsOf(TurnDto)),
      whenBusy: 'after-stopped',
      // A client that stays for no event: nobody's absence ends its turn.
      ...(answer === 'at once' && { wireOnDisconnect: 'continue' }),
    });
    response.set({
      'X-Turn-Id': submitted.turnId,
      'X-Session-Id': sessionId,
      'X-Turn-Disposition': describeDisposition(submitted.disposition),
      Location: eventsUrl(submitted.turnId),
    });
    if (answer === 'stream') return this.streams.ofSubmitted(submitted, harnessDialect);
    if (answer === 'result') return this.#result(submitted, sessionId, response);
    response.status(202).set('Preference-Applied', 'respond-async');
    return new WholeAnswer({ turn: await this.turns.get(submitted.turnId) });
  }

  /** Follow a turn, from the start or after a cursor */
  @Get('turns/:id/events')
  @Streams('harness')
  @Owned({ turn: 'params.id' })
  @ApiOptionalHeader('Last-Event-ID', 'Id of the last frame received.')
  @ApiHarnessStream()
  @ApiNoContentResponse({ description: 'There is nothing after the cursor, and never will be.' })
  @ApiErrors(...streamErrors)
  async followTurn(
    @Param() { id: turnId }: TurnIdDto,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Query() query: AfterQueryDto,
    @Res() response: Response,
  ): Promise<FrameStream> {
    const after = cursorOf(lastEventId, query);
    const frames = await this.streams.after(turnId, after, harnessDialect);
    response.set('X-Turn-Id', turnId);
    return frames;
  }

  /** A turn: status, attempt, usage, options with where each came from */
  @Get('turns/:id')
  @Owned({ turn: 'params.id' })
  @ApiErrors('TURN_NOT_FOUND')
  async getTurn(@Param() { id: turnId }: TurnIdDto): Promise<OneTurnDto> {
    return { turn: await this.turns.get(turnId) };
  }

  /** End the running turn of a session */
  @Post('interrupt')
  @Owned({ session: 'body.sessionId' })
  @HttpCode(200)
  @ApiErrors('INVALID_REQUEST', 'SESSION_NOT_FOUND')
  async interruptSession(
    @Body() body: InterruptDto,
    @Caller() caller: Principal,
  ): Promise<InterruptedDto> {
    return { ok: true, ...(await this.turns.interrupt(body.sessionId, caller)) };
  }

  /** End one turn, also one that waits behind another or for an approval */
  @Post('turns/:id/interrupt')
  @HttpCode(200)
  @Owned({ turn: 'params.id' })
  @ApiErrors('TURN_NOT_FOUND')
  async interruptTurn(
    @Param() { id: turnId }: TurnIdDto,
    @Caller() caller: Principal,
  ): Promise<InterruptedDto> {
    return { ok: true, turnId, state: await this.turns.interruptTurn(turnId, caller) };
  }

  /** Delete a session; a turn that runs in it is ended first */
  @Delete('session/:id')
  @Owned({ session: 'params.id' })
  @ApiErrors('SESSION_NOT_FOUND', 'TURN_IN_PROGRESS')
  async deleteSession(
    @Param() { id: sessionId }: SessionIdDto,
    @Caller() caller: Principal,
  ): Promise<OkDto> {
    // The route is here and not with those of sessions, as it ends a running turn first.
    await this.turns.deleteSession(sessionId, caller);
    return { ok: true };
  }

  /** The whole answer, once the turn has ended. */
  async #result(
    submitted: SubmittedTurn,
    sessionId: string,
    response: Response,
  ): Promise<WholeAnswer> {
    const fold = resultFold({ turnId: submitted.turnId, sessionId });
    const result = await this.streams.whole(submitted, fold, response);
    if (result === undefined) throw sessionNotFound(sessionId);
    response.status(200);
    return new WholeAnswer(result);
  }
}
