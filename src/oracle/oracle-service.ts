import type { ServerResponse } from 'node:http';
import { defaultAgentConfig } from '../governance/agent-config.js';
import { TypedError } from '../platform/typed-error.js';
import type { SessionService } from '../session/session-service.js';
import { loadSessionTurns } from '../turn/load-turn.js';
import type { SubmittedTurn } from '../turn/submit-turn.js';
import type { TurnService } from '../turn/turn-service.js';
import type { TurnServices } from '../turn/turn-services.js';
import { oracleDialect } from '../wire/dialects/oracle.js';
import { collectAnswer, type OracleAnswer } from './collect-answer.js';
import { findProject } from './find-project.js';
import { conversationBusy, hasReason, unknownContext } from './oracle-errors.js';
import { noHistory, viewHistory, type OracleHistory } from './oracle-history.js';
import {
  findNewestContext,
  findRunningContext,
  isCompressed,
  ORACLE_MODE,
} from './oracle-lookup.js';
import type { Busy, OracleQuestion } from './oracle-question.js';
import { interruptTurn, submitUnlessBusy, takeOver } from './take-over.js';
import { writeErrorChunk } from './write-error-chunk.js';

export interface OracleDeps {
  turns: TurnService;
  sessions: SessionService;
  services: Pick<TurnServices, 'db' | 'clock' | 'logger' | 'settings'>;
  /** Folder that new conversations work in. */
  root: string;
}

/** Conversations of the oracle wire: a conversation is a session, its `context_id` the session's id. */
export class OracleService {
  constructor(private readonly deps: OracleDeps) {}

  /** Streams the answer. A missing provider key is said on the stream: its clients expect that. */
  async stream(question: OracleQuestion, busy: Busy, response: ServerResponse): Promise<void> {
    const { turns, services } = this.deps;
    let asked: Asked;
    try {
      asked = await this.#submit(question, busy);
    } catch (error) {
      if (!isMissingKey(error)) throw error;
      const { clock, settings } = services;
      return writeErrorChunk(response, error, { clock, deadlineMs: settings.readerTimeoutMs });
    }
    response.setHeader('X-Turn-Id', asked.turn.turnId);
    response.setHeader('X-Session-Id', asked.sessionId);
    await turns.stream(asked.turn, response, undefined, oracleDialect);
  }

  /** The whole answer. `signal` aborts when its reader has left. */
  async ask(question: OracleQuestion, busy: Busy, signal: AbortSignal): Promise<OracleAnswer> {
    const { turn, sessionId } = await this.#submit(question, busy).catch((error: unknown) => {
      if (!isMissingKey(error)) throw error;
      throw new TypedError(error.type, { status: 400, message: error.message });
    });
    const answer = await collectAnswer(this.deps.turns.follow(turn, signal), question.explain);
    // Its conversation was deleted, and what was said with it.
    if (answer === undefined) throw unknownContext(sessionId);
    return answer;
  }

  /** Ends the newest turn that runs, of one conversation or of all. */
  async cancel(contextId: string | undefined): Promise<'cancelled' | 'no_active_session'> {
    const sessionId = await findRunningContext(this.deps.services.db, contextId);
    if (sessionId === undefined) return 'no_active_session';
    const turnId = await interruptTurn(this.deps.turns, sessionId);
    return turnId === undefined ? 'no_active_session' : 'cancelled';
  }

  /** @throws TypedError SESSION_NOT_FOUND 404 for a conversation that there is not. */
  async history(contextId: string | undefined): Promise<OracleHistory> {
    const { db } = this.deps.services;
    const sessionId = await this.#find(contextId);
    if (sessionId === undefined) return noHistory;
    const turns = await loadSessionTurns(db, sessionId);
    const compressed = await isCompressed(db, sessionId);
    return { ...viewHistory(turns), session_id: sessionId, compressed };
  }

  /** @returns whether there was a conversation to delete. */
  async forget(contextId: string | undefined): Promise<boolean> {
    const sessionId = await this.#find(contextId);
    if (sessionId === undefined) return false;
    await this.deps.turns.deleteSession(sessionId);
    return true;
  }

  async #find(contextId: string | undefined): Promise<string | undefined> {
    if (contextId === undefined) return findNewestContext(this.deps.services.db);
    const session = await inContext(contextId, () => this.deps.sessions.get(contextId));
    return session.sessionId;
  }

  async #submit(question: OracleQuestion, busy: Busy): Promise<Asked> {
    const { contextId, projectId } = question;
    if (contextId !== undefined) {
      const turn = await inContext(contextId, () => this.#submitTo(contextId, question, busy));
      return { turn, sessionId: contextId };
    }
    const { root, sessions, turns, services } = this.deps;
    const projectRoot = await findProject(root, projectId);
    const { sessionId } = await sessions.create({ projectRoot, mode: ORACLE_MODE });
    try {
      return { turn: await this.#submitTo(sessionId, question, busy), sessionId };
    } catch (error) {
      // A conversation that never began: nobody knows of it.
      await turns
        .deleteSession(sessionId)
        .catch((fault: unknown) => services.logger.warn({ sessionId, error: fault }, 'left over'));
      throw error;
    }
  }

  async #submitTo(sessionId: string, asked: OracleQuestion, busy: Busy): Promise<SubmittedTurn> {
    const { turns, services } = this.deps;
    const { question, model, thinking, maxTokens } = asked;
    const submission = {
      sessionId,
      message: question,
      opts: { model, thinking, maxTokens },
      attachments: [],
      idempotencyKey: undefined,
      limits: defaultAgentConfig,
    };
    if (busy === 'interrupt') return takeOver(turns, services.clock, submission);
    const submitted = await submitUnlessBusy(turns, submission);
    if (submitted === undefined) throw conversationBusy();
    return submitted;
  }
}

interface Asked {
  turn: SubmittedTurn;
  sessionId: string;
}

/** Says in this wire's words that there is no such session. */
async function inContext<T>(contextId: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw hasReason(error, 'NO_SUCH_SESSION') ? unknownContext(contextId) : error;
  }
}

function isMissingKey(error: unknown): error is TypedError {
  return error instanceof TypedError && error.type === 'MISSING_API_KEY';
}
