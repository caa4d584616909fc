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
import {
  ApiBody,
  ApiExcludeEndpoint,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller, type Principal, Unowned } from '../../access/face.js';
import { TypedError } from '../../errors/typed-error.js';
import {
  ApiErrors,
  ApiOptionalHeader,
  ApiStream,
  BodyLimit,
  cursorOf,
  ErrorsAs,
  exactFields,
  frameOf,
  type FrameStream,
  parseIdempotencyKey,
  schemaOf,
  Streams,
  textFrame,
  WholeAnswer,
} from '../../http/face.js';
import {
  CreateResponseDto,
  DeletedResponseDto,
  InputItemsDto,
  InputItemsQueryDto,
  ResponseIdDto,
  ResponseQueryDto,
} from './responses.dto.js';
import type { ResponseObject } from './dialect/response-frames.js';
import { answerItems, pageItems } from './input-items.js';
import { readRequest } from './response-request.js';
import { conversationGone, notOfferedPaths, responsesShape } from './responses-errors.js';
import { ResponseSubmitter } from './response-submitter.js';
import { repeated, ResponseLookup, type FoundResponse } from './response-lookup.js';
import type { JsonObject } from '../../platform/face.js';
import { streamErrors, type SubmittedTurn, turnErrors, TurnService } from '../../turn/face.js';
import { nameTurn, TurnStreams } from '../chat/turn-streams.js';

import { responseFold, responsesDialect } from './dialect/responses.js';

/** The reason for `@Unowned` on all routes: a response's id is that of a turn in other letters. */
const looksItself = 'its service looks among the caller’s own';

/** Documents the answers of a route that streams a response, or has it whole. @param when it is whole. */
function ApiResponseStream(when: string) {
  return ApiStream({
    wire: 'responses',
    description: [
      'Server-Sent Events of the Responses API, named by their type; the last one is `[DONE]`. `sequence_number` grows, and leaves a gap where another worker takes the turn over; send the last one back as `starting_after` to go on after it. `response.in_progress` after items takes back those that it does not have, or has empty and `incomplete`.',
      '',
      when,
    ].join('\n'),
    frames: [frameOf({ $ref: getSchemaPath('ResponsesEvent') }), textFrame('[DONE]')],
    others: { 'application/json': { schema: { $ref: getSchemaPath('ResponseObject') } } },
  });
}

/** Responses: a conversation is a session, a response a segment of one of its turns. */
@ApiTags('responses')
@ErrorsAs(responsesShape)
@Controller('v1/responses')
export class ResponsesController {
  constructor(
    private readonly turns: TurnService,
    private readonly submitter: ResponseSubmitter,
    private readonly streams: TurnStreams,
    private readonly lookup: ResponseLookup,
  ) {}

  /** Ask an agent or a model, or answer what it asked */
  @Post()
  @BodyLimit('conversation')
  @Streams('responses')
  @Unowned(looksItself)
  @HttpCode(200)
  @ApiBody({ type: CreateResponseDto })
  @ApiOptionalHeader('Idempotency-Key', 'A repeat joins the first response.')
  @ApiResponseStream(
    'With `stream` false: the response as JSON, once it is whole; with `background`, at once.',
  )
  @ApiErrors(
    'SESSION_NOT_FOUND',
    'TURN_NOT_FOUND',
    'FORBIDDEN_AGENT',
    'NO_APPROVERS',
    'PERSONA_NOT_FOUND',
    'TURN_IN_PROGRESS',
    'APPROVAL_RESOLVED',
    'FORBIDDEN_APPROVER',
    'STREAM_EXPIRED',
    'QUEUE_FULL',
    'SESSION_QUEUE_FULL',
    'SESSION_LIMIT',
    ...turnErrors,
  )
  async createResponse(
    @Body() body: unknown,
    @Headers('idempotency-key') key: string | undefined,
    @Headers('user-agent') userAgent: string | undefined,
    @Caller() principal: Principal,
    @Res() response: Response,
  ): Promise<FrameStream | WholeAnswer> {
    const idempotencyKey = parseIdempotencyKey(key);
    const asked = await readRequest(exactFields(body, 'input'), userAgent);
    const { found, submitted } = await this.submitter.submit({ asked, principal, idempotencyKey });
    nameTurn(response, { turnId: found.turn.id, sessionId: found.turn.sessionId });
    if (asked.isStream) return this.streams.ofSubmitted(submitted, responsesDialect(found.wanted));
    if (asked.isBackground) return new WholeAnswer(await this.lookup.read(found));
    return new WholeAnswer(await this.#whole(found, submitted, response));
  }

  /** Routes of OpenAI's that would be an id's otherwise */
  @Post(notOfferedPaths)
  @BodyLimit('conversation')
  @Unowned('it does nothing')
  @ApiExcludeEndpoint()
  refuseRoute(): never {
    throw new TypedError('ROUTE_NOT_FOUND', { message: 'This route of OpenAI’s is not offered.' });
  }

  /** A response as it is now, or its stream from the start or after an event */
  @Get(':id')
  @Streams('responses')
  @Unowned(looksItself)
  @ApiOptionalHeader(
    'Last-Event-ID',
    'Id of the last frame received, in place of `starting_after`.',
  )
  @ApiResponseStream('Without `stream=true`: the response as JSON.')
  @ApiNoContentResponse({ description: 'Nothing comes after the frame of `Last-Event-ID`.' })
  @ApiErrors(...streamErrors)
  async getResponse(
    @Param() { id }: ResponseIdDto,
    @Query() query: ResponseQueryDto,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Caller() principal: Principal,
    @Res() response: Response,
  ): Promise<FrameStream | WholeAnswer> {
    const cursor = query.stream === 'true' ? cursorOf(lastEventId, query) : undefined;
    const found = await this.lookup.find(id, principal);
    if (query.stream !== 'true') return new WholeAnswer(await this.lookup.read(found));
    nameTurn(response, { turnId: found.turn.id, sessionId: found.turn.sessionId });
    const dialect = responsesDialect(found.wanted, query.starting_after);
    return this.streams.after(found.turn.id, cursor, dialect);
  }

  /** End the turn of a response, and answer with the response once it has ended */
  @Post(':id/cancel')
  @Unowned(looksItself)
  @HttpCode(200)
  @ApiOkResponse({ schema: schemaOf('ResponseObject') })
  @ApiErrors(...streamErrors)
  async cancelResponse(
    @Param() { id }: ResponseIdDto,
    @Caller() principal: Principal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ResponseObject> {
    const found = await this.lookup.find(id, principal);
    await this.turns.interruptTurn(found.turn.id, principal);
    return this.#whole(found, repeated(found), response);
  }

  /** Delete a response; what it said stays in a conversation that went on from it */
  @Delete(':id')
  @Unowned(looksItself)
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND')
  async deleteResponse(
    @Param() { id }: ResponseIdDto,
    @Caller() principal: Principal,
  ): Promise<DeletedResponseDto> {
    const found = await this.lookup.find(id, principal);
    const { turn } = found;
    // A conversation that has nothing else goes with it.
    if (await this.lookup.isAlone(found)) await this.turns.deleteSession(turn.sessionId, principal);
    else {
      await this.lookup.forget(found);
      if (turn.endedAt === null) await this.turns.interruptTurn(turn.id, principal);
    }
    return { id, object: 'response', deleted: true };
  }

  /** List the items that a response was made for */
  @Get(':id/input_items')
  @Unowned(looksItself)
  @ApiErrors('INVALID_REQUEST', 'TURN_NOT_FOUND')
  async listInputItems(
    @Param() { id }: ResponseIdDto,
    @Query() { after, limit, order }: InputItemsQueryDto,
    @Caller() principal: Principal,
  ): Promise<InputItemsDto> {
    const items = inputOf(await this.lookup.find(id, principal));
    return pageItems(items, { after, limit, order });
  }

  async #whole(
    { wanted }: FoundResponse,
    submitted: SubmittedTurn,
    response: Response,
  ): Promise<ResponseObject> {
    const whole = await this.streams.whole(submitted, responseFold(wanted), response);
    if (whole === undefined) throw conversationGone(wanted.facts.id);
    return whole;
  }
}

/** The items that a response was made for, in the order in which they were sent. */
function inputOf({ turn, response, approvals, wanted }: FoundResponse): JsonObject[] {
  const { answered } = response;
  if (answered.length === 0) return turn.request.responses?.input ?? [];
  const answer = turn.request.responses?.answers?.find((one) =>
    one.answered.some((id) => answered.includes(id)),
  );
  return answer?.request.input ?? answerItems(approvals, answered, wanted.customTools);
}
