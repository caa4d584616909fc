import { Inject, Injectable } from '@nestjs/common';
import { and, eq, isNull, not } from 'drizzle-orm';
import type { Principal } from '../../access/face.js';
import { CONFIG, type Config } from '../../config/config.js';
import { isTypedError } from '../../errors/typed-error.js';
import { type Clock, CLOCK, newTimeId } from '../../platform/face.js';
import {
  hashedSessionId,
  isExpired,
  isSessionMissing,
  ProjectRoots,
  SessionStore,
  DEFAULT_MODE,
  SessionTermsChecker,
} from '../../session/face.js';
import {
  DATABASE,
  type Database,
  type OptionProblem,
  sessions,
  turns,
  violatedConstraint,
} from '../../storage/face.js';
import { type SubmittedTurn, TurnService } from '../../turn/face.js';
import { Conversations, isOwnSession, type FoundSession } from '../chat/conversations.js';
import { namesLike } from '../../agents/face.js';
import { agentSessionBusy } from './named-agents-errors.js';
import type { ReceivedFile } from '../../attachments/face.js';

export interface ReceivedChat {
  message: string;
  /** The session's id in the server's form; undefined: a new session. */
  sessionId: string | undefined;
  files: readonly ReceivedFile[];
  /** Fields without effect. */
  problems: readonly OptionProblem[];
}

export interface Chat extends ReceivedChat {
  /** Name of an agent that there is. */
  agent: string;
  principal: Principal;
  idempotencyKey: string | undefined;
}

export interface SubmittedChat {
  turn: SubmittedTurn;
  sessionId: string;
}

/** Chats as turns of an agent's sessions. */
@Injectable()
export class AgentSessions {
  constructor(
    private readonly turns: TurnService,
    private readonly conversations: Conversations,
    private readonly sessions: SessionStore,
    private readonly projectRoots: ProjectRoots,
    private readonly terms: SessionTermsChecker,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'agentSessionMs'>,
  ) {}

  /**
   * Submits a chat to its session, or to a new one where it names none that the agent can go on in. A repeated key
   * gives the first turn, also where that began the session.
   *
   * @throws TypedError TURN_IN_PROGRESS 409, SESSION_LIMIT 429; those of `TurnService.submit`. A session
   *   that was made for the chat is gone then.
   */
  async submit(chat: Chat): Promise<SubmittedChat> {
    return (await this.#goOn(chat)) ?? this.#begin(chat);
  }

  async #goOn(chat: Chat): Promise<SubmittedChat | undefined> {
    const { sessionId, agent, principal } = chat;
    if (sessionId === undefined) return undefined;
    const now = new Date(this.clock.now());
    const named = { sessionId, agent, principalId: principal.id, now };
    if (!(await isLiveSession(this.db, named))) return undefined;
    try {
      return await this.#submitTo(chat, sessionId);
    } catch (error) {
      // The session was deleted, or has expired, since the look-up.
      if (isSessionMissing(error, 'NO_SUCH_SESSION')) return undefined;
      throw error;
    }
  }

  /** Begins a session. Its id is made of the key, where there is one: a repeat finds it, and its turn. */
  #begin(chat: Chat): Promise<SubmittedChat> {
    const { principal, idempotencyKey: key } = chat;
    const open = async (): Promise<FoundSession> => {
      if (key === undefined) return this.#create(chat, newTimeId('sess', this.clock.now()));
      const id = hashedSessionId(['chat', principal.id, key]);
      const isKnown = await isAgentSession(this.db, id, principal.id);
      return isKnown ? { sessionId: id, isNew: false } : this.#create(chat, id);
    };
    return this.conversations.beginIn(open, principal, (id) => this.#submitTo(chat, id));
  }

  async #create({ agent, principal }: Chat, id: string): Promise<FoundSession> {
    const projectRoot = await this.projectRoots.defaultOf(principal);
    const checked = await this.terms.check({}, { caller: principal, projectRoot });
    const { mode = DEFAULT_MODE, ...terms } = checked;
    try {
      const { id: sessionId } = await this.sessions.create({
        id,
        principalId: principal.id,
        credential: principal.credential,
        projectRoot,
        persona: agent,
        mode,
        ...terms,
        origin: 'named-agents',
        expiresAfterMs: this.config.agentSessionMs,
      });
      return { sessionId, isNew: true };
    } catch (error) {
      if (violatedConstraint(error) !== 'sessions_pkey') throw error;
      // A request with the same key was first.
      return { sessionId: id, isNew: false };
    }
  }

  async #submitTo(chat: Chat, sessionId: string): Promise<SubmittedChat> {
    const { message, files, problems, agent, principal, idempotencyKey } = chat;
    try {
      const turn = await this.turns.submit({
        sessionId,
        principal,
        message,
        opts: { persona: agent },
        problems,
        attachments: [],
        files,
        needsAllFiles: true,
        idempotencyKey,
        asAgent: true,
        wireMode: 'dontAsk',
        whenBusy: 'after',
      });
      return { turn, sessionId };
    } catch (error) {
      throw isTypedError(error, 'TURN_IN_PROGRESS') ? agentSessionBusy() : error;
    }
  }
}

/** Sessions of this wire, without those of their subagents. */
const isChat = and(eq(sessions.origin, 'named-agents'), isNull(sessions.parentTurnId));

/**
 * Whether an agent can go on in a session: the session is the agent's and the caller's, and has not
 * expired.
 */
export function isLiveSession(
  db: Database,
  asked: { sessionId: string; agent: string; principalId: string; now: Date },
): Promise<boolean> {
  const { sessionId, agent, principalId, now } = asked;
  const isUsable = and(isChat, eq(sessions.persona, agent), not(isExpired(now)));
  return isOwnSession(db, { sessionId, principalId }, isUsable);
}

/** Whether a session was made by the agents API for a principal, whatever its agent. */
export function isAgentSession(
  db: Database,
  sessionId: string,
  principalId: string,
): Promise<boolean> {
  return isOwnSession(db, { sessionId, principalId }, isChat);
}

/**
 * The session of an agent's turn; undefined when the agent has no such turn for the principal.
 *
 * @param agent as a client spells it; there need not be one any more.
 */
export async function findTurnSession(
  db: Database,
  { turnId, agent, principalId }: { turnId: string; agent: string; principalId: string },
): Promise<string | undefined> {
  const [found] = await db
    .select({ sessionId: sessions.id, persona: sessions.persona })
    .from(turns)
    .innerJoin(sessions, eq(sessions.id, turns.sessionId))
    .where(and(eq(turns.id, turnId), isChat, eq(sessions.principalId, principalId)));
  if (found === undefined || namesLike(agent, [found.persona]).length === 0) return undefined;
  return found.sessionId;
}
