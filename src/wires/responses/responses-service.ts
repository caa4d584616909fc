import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { WholeAnswer, type FrameStream } from '../../http/streams/frame-batch.js';
import type { JsonObject } from '../../platform/json.js';
import type { SubmittedTurn } from '../../turn/submit/turn-submission.js';
import { TurnService } from '../../turn/turn-service.js';
import { nameTurn, TurnStreams } from '../conversation/turn-streams.js';
import { responseFold } from './collect-response.js';
import type { ResponseObject } from './dialect/response-object.js';
import { responsesDialect } from './dialect/responses.js';
import { answerItems } from './input-items.js';
import { repeated, ResponseLookup, type FoundResponse } from './response-lookup.js';
import { ResponseReader } from './response-reader.js';
import type { ResponseCall } from './response-answerer.js';
import { ResponseSubmitter } from './response-submitter.js';
import { conversationGone } from './responses-errors.js';

/** Responses: a conversation is a session, a response a segment of one of its turns. */
@Injectable()
export class ResponsesService {
  constructor(
    private readonly turns: TurnService,
    private readonly submitter: ResponseSubmitter,
    private readonly streams: TurnStreams,
    private readonly lookup: ResponseLookup,
    private readonly reader: ResponseReader,
  ) {}

  /** Makes a response, and streams it, waits for it, or answers at once. */
  async create(call: ResponseCall, response: ServerResponse): Promise<FrameStream | WholeAnswer> {
    const { isStream, isBackground } = call.asked;
    const { found, submitted } = await this.submitter.submit(call);
    nameTurn(response, { turnId: found.turn.id, sessionId: found.turn.sessionId });
    if (isStream) return this.streams.ofSubmitted(submitted, responsesDialect(found.wanted));
    if (isBackground) return new WholeAnswer(await this.reader.read(found));
    return new WholeAnswer(await this.#whole(found, submitted, response));
  }

  /** @throws TypedError TURN_NOT_FOUND 404, STREAM_EXPIRED 410. */
  async get(responseId: string, principal: Principal): Promise<ResponseObject> {
    return this.reader.read(await this.lookup.find(responseId, principal));
  }

  /**
   * Streams a response, also one that has ended.
   *
   * @param after the number of the last event that the reader has; undefined: none.
   * @throws TypedError TURN_NOT_FOUND 404, STREAM_EXPIRED 410, INVALID_REQUEST 400 for the cursor.
   */
  async follow(
    { responseId, principal }: { responseId: string; principal: Principal },
    { after, lastEventId }: { after: number | undefined; lastEventId: string | undefined },
    response: ServerResponse,
  ): Promise<FrameStream> {
    const found = await this.lookup.find(responseId, principal);
    nameTurn(response, { turnId: found.turn.id, sessionId: found.turn.sessionId });
    const dialect = responsesDialect(found.wanted, after);
    return this.streams.after(found.turn.id, lastEventId, dialect);
  }

  /** Ends the turn of a response, and answers once it has ended. @throws TypedError TURN_NOT_FOUND 404. */
  async cancel(
    responseId: string,
    principal: Principal,
    response: ServerResponse,
  ): Promise<ResponseObject> {
    const found = await this.lookup.find(responseId, principal);
    await this.turns.interruptTurn(found.turn.id, principal.id);
    return this.#whole(found, repeated(found), response);
  }

  /**
   * Deletes a response; its turn ends, if it has not. A conversation that has nothing else goes with it.
   *
   * @throws TypedError TURN_NOT_FOUND 404.
   */
  async delete(responseId: string, principal: Principal): Promise<void> {
    const found = await this.lookup.find(responseId, principal);
    const { id, sessionId, endedAt } = found.turn;
    if (await this.lookup.isAlone(found)) {
      await this.turns.deleteSession(sessionId, principal.id);
      return;
    }
    await this.lookup.forget(found);
    if (endedAt === null) await this.turns.interruptTurn(id, principal.id);
  }

  /** The items that a response was made for, in the order in which they were sent. */
  async inputItems(responseId: string, principal: Principal): Promise<JsonObject[]> {
    const { turn, response, approvals, wanted } = await this.lookup.find(responseId, principal);
    const { answered } = response;
    if (answered.length === 0) return turn.request.responses?.input ?? [];
    const answer = turn.request.responses?.answers?.find((one) =>
      one.answered.some((id) => answered.includes(id)),
    );
    return answer?.request.input ?? answerItems(approvals, answered, wanted.customTools);
  }

  async #whole(
    { wanted }: FoundResponse,
    submitted: SubmittedTurn,
    response: ServerResponse,
  ): Promise<ResponseObject> {
    const whole = await this.streams.whole(submitted, responseFold(wanted), response);
    if (whole === undefined) throw conversationGone(wanted.facts.id);
    return whole;
  }
}
