import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/face.js';
import { PersonaLibrary } from '../../agents/face.js';
import {
  BlobStore,
  receiveJson,
  type ReceiveLimits,
  receiveMultipart,
} from '../../attachments/face.js';
import { CONFIG, type Config } from '../../config/config.js';
import { invalidRequest, isTypedError } from '../../errors/typed-error.js';
import { fieldsOf, type FrameStream, takeRequest } from '../../http/face.js';
import { unusedFields } from '../../options/face.js';
import { fromUlid, toUlid } from './ulid-form.js';
import { type Clock, CLOCK } from '../../platform/face.js';
import { isSessionMissing } from '../../session/face.js';
import { DATABASE, type Database } from '../../storage/face.js';
import { clientLeft, TurnService } from '../../turn/face.js';
import { TurnStreams } from '../chat/turn-streams.js';
import {
  findTurnSession,
  isAgentSession,
  AgentSessions,
  type ReceivedChat,
} from './agent-sessions.js';
import { agentAnswer } from './collect-answer.js';
import { type ChatAnswerDto, ChatRequestDto } from './named-agents.dto.js';
import type { AgentAnswerIds } from './dialect/agent-frames.js';
import { namedAgentsDialect } from './dialect/named-agents.js';
import { messageNotFound, sessionEnds, sessionGone } from './named-agents-errors.js';

/** A request for an agent, as it came: its body was not read. */
export interface AgentRequest {
  agent: string;
  principal: Principal;
  request: IncomingMessage;
  response: ServerResponse;
  idempotencyKey: string | undefined;
}

/** Named agents as clients of the holodeck wire see them. Their ids are ULIDs of ours. */
@Injectable()
export class NamedAgentsService {
  readonly #limits: Record<'json' | 'multipart', ReceiveLimits>;

  constructor(
    private readonly turns: TurnService,
    private readonly streams: TurnStreams,
    private readonly sessions: AgentSessions,
    private readonly personas: PersonaLibrary,
    private readonly store: BlobStore,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) config: Pick<Config, 'receiveTimeoutMs' | 'maxBodyBytes'>,
  ) {
    this.#limits = chatLimits(config);
  }

  /** @param names of the agents that the caller may use; undefined: all. */
  async agents(names: readonly string[] | undefined) {
    const [all, problems] = await Promise.all([this.personas.agents(), this.personas.problems()]);
    const agents = all.filter(({ name }) => names?.includes(name) ?? true);
    return { agents, problems };
  }

  /** The whole answer. */
  async chat(call: AgentRequest): Promise<ChatAnswerDto> {
    const { turn, ids } = await this.#submit(call);
    const answer = await this.streams.whole(turn, agentAnswer(ids), call.response);
    if (answer === undefined) throw sessionGone(ids.sessionId);
    return answer;
  }

  /** Streams the answer. */
  async stream(call: AgentRequest): Promise<FrameStream> {
    const { turn, ids } = await this.#submit(call);
    return this.streams.ofSubmitted(turn, namedAgentsDialect(ids));
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
    const frames = await streams.after(turnId, cursor, namedAgentsDialect(ids));
    response.setHeader('X-Turn-Id', turnId);
    return frames;
  }

  /** Deletes a session of an agent; a session that does not exist is deleted already. */
  async forget(session: string, by: Principal): Promise<void> {
    const { turns, db } = this;
    const sessionId = fromUlid('sess', session);
    if (sessionId === undefined || !(await isAgentSession(db, sessionId, by.id))) return;
    try {
      await turns.deleteSession(sessionId, by);
    } catch (error) {
      if (isSessionMissing(error, 'NO_SUCH_SESSION')) return;
      throw isTypedError(error, 'TURN_IN_PROGRESS') ? sessionEnds(session) : error;
    }
  }

  async #submit({ agent, principal, request, response, idempotencyKey }: AgentRequest) {
    // The agent is checked before the body is read: a body may be large.
    const { name } = await this.personas.load(agent);
    const received = await this.#receive(request);
    // No turn was submitted for the client, and none is.
    if (response.destroyed) throw clientLeft();
    principal.try?.receive({
      ...received,
      files: received.files.map(({ name: file, sha256 }) => [file, sha256]),
    });
    const chat = { ...received, agent: name, principal, idempotencyKey };
    const { turn, sessionId } = await this.sessions.submit(chat);
    const ids = { sessionId: toUlid(sessionId), messageId: toUlid(turn.turnId) };
    nameIds(response, ids);
    return { turn, ids };
  }

  /**
   * Receives a chat, as a form or as JSON by its `Content-Type`; its files are stored as they come.
   *
   * @throws TypedError 400 INVALID_REQUEST, 408 REQUEST_TIMEOUT, 413 BODY_TOO_LARGE or
   * FILE_TOO_LARGE; ClientGoneError. Nobody uses what was stored then: it is forgotten.
   */
  async #receive(request: IncomingMessage): Promise<ReceivedChat> {
    const { store, clock } = this;
    const { json, multipart: limits } = this.#limits;
    const named = { fields: ['message', 'session_id'], fileField: 'files' };
    const isForm = /^multipart\//i.test(request.headers['content-type'] ?? '');
    const { fields, files } = isForm
      ? await receiveMultipart(request, { store, clock, limits, ...named })
      : await receiveJson(request, { store, clock, limits: json });
    const { message, session_id: sessionId } = await takeRequest(ChatRequestDto, fields);
    const problems = unusedFields(fields, [...fieldsOf(ChatRequestDto), 'files']);
    // A blank text is for files to come with.
    if (files.length > 0 || message.trim() !== '') return { message, sessionId, files, problems };
    throw invalidRequest("'message' is blank; it must have text where no files come with it");
  }
}

/** Ids are sent with errors too: the conversation can go on. */
function nameIds(response: ServerResponse, { sessionId, messageId }: AgentAnswerIds): void {
  response.setHeader('X-Session-Id', sessionId);
  response.setHeader('X-Message-Id', messageId);
}

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Limits of a chat's message and files (contract: holodeck, section 1), by the form of the request. In JSON, a file's
 * bytes are those it decodes to.
 */
function chatLimits(settings: Pick<Config, 'receiveTimeoutMs' | 'maxBodyBytes'>) {
  const common = {
    maxFiles: 10,
    maxRequestBytes: 100 * MIB,
    // The longest message, every character of it escaped.
    maxFieldBytes: 128 * KIB,
    idleMs: settings.receiveTimeoutMs,
  };
  return {
    json: { ...common, maxFileBytes: 10 * MIB, plainBytes: settings.maxBodyBytes },
    multipart: { ...common, maxFileBytes: 50 * MIB },
  };
}
