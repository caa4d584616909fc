import type { ServerResponse } from 'node:http';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/face.js';
import { isTypedError, TypedError } from '../../errors/typed-error.js';
import { type FrameStream, streamTexts } from '../../http/face.js';
import { isSessionMissing, ProjectRoots, SessionService } from '../../session/face.js';
import { DATABASE, type Database, type OptionProblem } from '../../storage/face.js';
import { loadSessionTurns, type SubmittedTurn, TurnService } from '../../turn/face.js';
import { Conversations, isOwnSession } from '../chat/conversations.js';
import { nameTurn, TurnStreams } from '../chat/turn-streams.js';
import { retryAdvice } from '../../platform/face.js';
import { formatFrame } from '../framing/face.js';
import { oracleAnswer } from './collect-answer.js';
import type {
  OracleAnswerDto,
  OracleHistoryDto,
  BusyQueryDto,
  OracleQuestionDto,
} from './oracle.dto.js';
import { oracleDialect } from './dialect/oracle.js';
import { conversationBusy, unknownContext, unknownProject } from './oracle-errors.js';
import {
  noHistory,
  viewHistory,
  findNewestContext,
  findRunningContext,
  isCompressed,
} from './oracle-contexts.js';
import type { OracleChunk } from './dialect/oracle-frames.js';

export interface OracleCall {
  question: OracleQuestionDto;
  busy: BusyQueryDto['busy'];
  principal: Principal;
}

/** Conversations of the oracle wire: a conversation is a session, its `context_id` the session's id. */
@Injectable()
export class OracleService {
  constructor(
    private readonly turns: TurnService,
    private readonly conversations: Conversations,
    private readonly streams: TurnStreams,
    private readonly sessions: SessionService,
    private readonly projectRoots: ProjectRoots,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /**
   * Streams the answer. A missing provider key is an error on the stream, as clients of the wire
   * expect.
   */
  async stream(asked: OracleCall, response: ServerResponse): Promise<FrameStream> {
    let submitted: Submitted;
    try {
      submitted = await this.#submit(asked);
    } catch (error) {
      if (!isTypedError(error, 'MISSING_API_KEY')) throw error;
      return streamError(error);
    }
    nameTurn(response, { turnId: submitted.turn.turnId, sessionId: submitted.sessionId });
    return this.streams.ofSubmitted(submitted.turn, oracleDialect);
  }

  /** The whole answer. */
  async ask(asked: OracleCall, response: ServerResponse): Promise<OracleAnswerDto> {
    const { turn, sessionId } = await this.#submit(asked).catch((error: unknown) => {
      if (!isTypedError(error, 'MISSING_API_KEY')) throw error;
      throw new TypedError('MISSING_API_KEY', { case: 'question', message: error.message });
    });
    const fold = oracleAnswer(asked.question.explain);
    const answer = await this.streams.whole(turn, fold, response);
    // The conversation was deleted, and its turns with it.
    if (answer === undefined) throw unknownContext(sessionId);
    return answer;
  }

  /** Ends the newest running turn of a principal, in one conversation or in all. */
  async cancel(
    contextId: string | undefined,
    by: Principal,
  ): Promise<'cancelled' | 'no_active_session'> {
    const { id: principalId } = by;
    const sessionId = await findRunningContext(this.db, { contextId, principalId });
    if (sessionId === undefined) return 'no_active_session';
    const stopped = await this.conversations.interrupt(sessionId, by);
    return stopped === undefined ? 'no_active_session' : 'cancelled';
  }

  /** @throws TypedError SESSION_NOT_FOUND 404 for a conversation that there is not. */
  async history(contextId: string | undefined, principalId: string): Promise<OracleHistoryDto> {
    const { db } = this;
    const sessionId = await this.#find(contextId, principalId);
    if (sessionId === undefined) return noHistory;
    const turns = await loadSessionTurns(db, sessionId);
    const compressed = await isCompressed(db, sessionId);
    return { ...viewHistory(turns), session_id: sessionId, compressed };
  }

  /** @returns whether there was a conversation to delete. */
  async forget(contextId: string | undefined, by: Principal): Promise<boolean> {
    const sessionId = await this.#find(contextId, by.id);
    if (sessionId === undefined) return false;
    await this.turns.deleteSession(sessionId, by);
    return true;
  }

  async #find(contextId: string | undefined, principalId: string): Promise<string | undefined> {
    const { db } = this;
    if (contextId === undefined) return findNewestContext(db, principalId);
    const isOwn = await isOwnSession(db, { sessionId: contextId, principalId });
    if (!isOwn) throw unknownContext(contextId);
    return contextId;
  }

  async #submit(asked: OracleCall): Promise<Submitted> {
    const { context_id: contextId, project_id: projectId } = asked.question;
    const principalId = asked.principal.id;
    if (contextId !== undefined) {
      await this.#find(contextId, principalId);
      try {
        return await this.#submitTo(contextId, asked);
      } catch (error) {
        throw isSessionMissing(error, 'NO_SUCH_SESSION') ? unknownContext(contextId) : error;
      }
    }
    const root = await this.projectRoots.defaultOf(asked.principal);
    const projectRoot = await findProject(root, projectId);
    const create = async () => {
      const { sessionId } = await this.sessions.create({ projectRoot }, asked.principal, 'oracle');
      return { sessionId, isNew: true };
    };
    return this.conversations.beginIn(create, asked.principal, (id) => this.#submitTo(id, asked));
  }

  async #submitTo(
    sessionId: string,
    { question: asked, busy, principal }: OracleCall,
  ): Promise<Submitted> {
    const { question, sources, model, thinking, max_tokens: maxTokens } = asked;
    const submission = {
      sessionId,
      principal,
      message: question,
      // The oracle wire cannot carry answers: a call that would ask is denied.
      opts: { model, thinking, maxTokens, mode: 'dontAsk', onBusy: busy },
      attachments: [],
      idempotencyKey: undefined,
      isOracle: true,
      problems: withoutEffect(sources),
    };
    try {
      return { turn: await this.turns.submit(submission), sessionId };
    } catch (error) {
      throw isTypedError(error, 'TURN_IN_PROGRESS') ? conversationBusy() : error;
    }
  }
}

interface Submitted {
  turn: SubmittedTurn;
  sessionId: string;
}

/**
 * The reference has an index of a vault, of code and of threads. Here the conversation's tools find
 * what they find: a question that names its sources is answered, with a notice that they chose
 * nothing.
 */
function withoutEffect(sources: readonly string[] | undefined): OptionProblem[] {
  if (sources === undefined) return [];
  const reason = 'this server searches with the tools of the conversation, not by source';
  return [{ kind: 'without-effect', key: 'sources', reason }];
}

/**
 * The folder a new conversation works in. A project is a folder in the root itself: a link there
 * could lead anywhere.
 *
 * @param projectId one segment of a path, checked.
 * @throws TypedError WORKING_ROOT_INACCESSIBLE 404.
 */
export async function findProject(root: string, projectId: string | undefined): Promise<string> {
  if (projectId === undefined) return root;
  const [folder, base] = await Promise.all(
    [path.join(root, projectId), root].map((one) => realpath(one).catch(() => undefined)),
  );
  if (folder === undefined || base === undefined || folder !== path.join(base, projectId)) {
    throw unknownProject(projectId);
  }
  return folder;
}

/** A stream of one error. No turn was accepted, so its frame has no cursor for an id. */
function streamError(error: TypedError): FrameStream {
  const { type, message, status } = error;
  const metadata = { termination_reason: type, status, ...retryAdvice(error) };
  const chunk: OracleChunk = { type: 'error', error: message, metadata };
  return streamTexts(async function* () {
    yield formatFrame({ data: JSON.stringify(chunk) });
  });
}
