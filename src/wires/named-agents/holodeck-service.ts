import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { PersonaLibrary } from '../../agents/persona-library.js';
import { BlobStore } from '../../attachments/blob-store.js';
import { CONFIG, type Config } from '../../config/config.js';
import { isTypedError } from '../../errors/typed-error.js';
import type { FrameStream } from '../../http/streams/frame-batch.js';
import { fromUlid, toUlid } from '../../http/fields/ulid-form.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { isSessionMissing } from '../../session/session-errors.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { clientLeft } from '../../turn/state/turn-errors.js';
import { TurnService } from '../../turn/turn-service.js';
import { TurnStreams } from '../conversation/turn-streams.js';
import { findTurnSession, isAgentSession } from './agent-lookup.js';
import { chatLimits, type ChatLimits } from './chat-limits.js';
import { ChatSubmitter, type SubmittedChat } from './chat-submitter.js';
import { holodeckAnswer, type ChatAnswer } from './collect-answer.js';
import type { HolodeckIds } from './dialect/holodeck-event.js';
import { holodeckDialect } from './dialect/holodeck.js';
import { messageNotFound, sessionEnds, sessionGone } from './holodeck-errors.js';
import { receiveChat } from './receive-chat.js';

/** A request for an agent, as it came: its body was not read. */
export interface HolodeckChat {
  agent: string;
  principal: Principal;
  request: IncomingMessage;
  response: ServerResponse;
  idempotencyKey: string | undefined;
}

/** Named agents as clients of the holodeck wire see them. Their ids are ULIDs of ours. */
@Injectable()
export class HolodeckService {
  readonly #limits: ChatLimits;

  constructor(
    private readonly turns: TurnService,
    private readonly streams: TurnStreams,
    private readonly submitter: ChatSubmitter,
    private readonly personas: PersonaLibrary,
    private readonly store: BlobStore,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) config: Pick<Config, 'receiveTimeoutMs' | 'maxBodyBytes'>,
  ) {
    this.#limits = chatLimits(config);
  }

  async agents() {
    const [agents, problems] = await Promise.all([
      this.personas.agents(),
      this.personas.problems(),
    ]);
    return { agents, problems };
  }

  /** The whole answer. */
  async chat(call: HolodeckChat): Promise<ChatAnswer> {
    const { turn, ids } = await this.#submit(call);
    const answer = await this.streams.whole(turn, holodeckAnswer(ids), call.response);
    if (answer === undefined) throw sessionGone(ids.sessionId);
    return answer;
  }

  /** Streams the answer. */
  async stream(call: HolodeckChat): Promise<FrameStream> {
    const { turn, ids } = await this.#submit(call);
    return this.streams.ofSubmitted(turn, holodeckDialect(ids));
  }

  /**
   * Streams an answer after a cursor, also of an agent that has been removed since.
   *
   * @throws TypedError TURN_NOT_FOUND 404, STREAM_EXPIRED 410, INVALID_REQUEST 400.
   */
  async resume(
    { agent, messageId, principalId }: { agent: string; messageId: string; principalId: string },
    cursor: string | undefined,
    response: ServerResponse,
  ): Promise<FrameStream> {
    const { db, streams } = this;
    const turnId = fromUlid('turn', messageId);
    const sessionId =
      turnId === undefined ? undefined : await findTurnSession(db, { turnId, agent, principalId });
    if (turnId === undefined || sessionId === undefined) throw messageNotFound(agent, messageId);
    const ids = { sessionId: toUlid(sessionId), messageId };
    nameIds(response, ids);
    const frames = await streams.after(turnId, cursor, holodeckDialect(ids));
    response.setHeader('X-Turn-Id', turnId);
    return frames;
  }

  /** Deletes a session of an agent; a session that does not exist is deleted already. */
  async forget(session: string, principalId: string): Promise<void> {
    const { turns, db } = this;
    const sessionId = fromUlid('sess', session);
    if (sessionId === undefined || !(await isAgentSession(db, sessionId, principalId))) return;
    try {
      await turns.deleteSession(sessionId, principalId);
    } catch (error) {
      if (isSessionMissing(error, 'NO_SUCH_SESSION')) return;
      throw isTypedError(error, 'TURN_IN_PROGRESS') ? sessionEnds(session) : error;
    }
  }

  async #submit({ agent, principal, request, response, idempotencyKey }: HolodeckChat) {
    const { personas, submitter, store, clock } = this;
    // The agent is checked before the body is read: a body may be large.
    const { name } = await personas.load(agent);
    const received = await receiveChat(request, { store, limits: this.#limits, clock });
    // No turn was submitted for the client, and none is.
    if (response.destroyed) throw clientLeft();
    const chat = { ...received, agent: name, principal, idempotencyKey };
    const submitted = await submitter.submit(chat);
    const ids = toIds(submitted);
    nameIds(response, ids);
    return { turn: submitted.turn, ids };
  }
}

function toIds({ sessionId, turn }: SubmittedChat): HolodeckIds {
  return { sessionId: toUlid(sessionId), messageId: toUlid(turn.turnId) };
}

/** Ids are sent with errors too: the conversation can go on. */
function nameIds(response: ServerResponse, { sessionId, messageId }: HolodeckIds): void {
  response.setHeader('X-Session-Id', sessionId);
  response.setHeader('X-Message-Id', messageId);
}
