import { Inject, Injectable } from '@nestjs/common';
import { callerLogger, type Principal } from '../../access/principal.js';
import { CONFIG, type Config } from '../../config/config.js';
import { isTypedError } from '../../errors/typed-error.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { newTimeId } from '../../platform/ids.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { ProjectRoots } from '../../session/project-roots.js';
import { isSessionMissing } from '../../session/session-errors.js';
import { SessionStore } from '../../session/session-store.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import type { SubmittedTurn } from '../../turn/submit/turn-submission.js';
import { TurnService } from '../../turn/turn-service.js';
import { submitFirst } from '../conversation/submit-first.js';
import { isLiveSession } from './agent-lookup.js';
import { agentSessionBusy } from './holodeck-errors.js';
import type { ReceivedChat } from './receive-chat.js';

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
export class ChatSubmitter {
  constructor(
    @Inject(TurnService) private readonly turns: Pick<TurnService, 'submit' | 'deleteSession'>,
    @Inject(SessionStore) private readonly sessions: Pick<SessionStore, 'create'>,
    @Inject(ProjectRoots) private readonly projectRoots: Pick<ProjectRoots, 'defaultOf'>,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Pick<Clock, 'now'>,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CONFIG) private readonly config: Pick<Config, 'agentSessionMs'>,
  ) {}

  /**
   * Submits a chat to its session, or to a new one where it names none that the agent can go on in.
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

  async #begin(chat: Chat): Promise<SubmittedChat> {
    const { turns, sessions, projectRoots, clock, config } = this;
    const logger = callerLogger(this.logger, chat.principal);
    const { id: principalId } = chat.principal;
    const { id: sessionId } = await sessions.create({
      id: newTimeId('sess', clock.now()),
      principalId,
      projectRoot: await projectRoots.defaultOf(chat.principal),
      persona: chat.agent,
      mode: 'direct',
      origin: 'named-agents',
      expiresAfterMs: config.agentSessionMs,
    });
    const remove = (id: string) => turns.deleteSession(id, principalId);
    return submitFirst({ remove, logger }, sessionId, () => this.#submitTo(chat, sessionId));
  }

  async #submitTo(chat: Chat, sessionId: string): Promise<SubmittedChat> {
    const { message, files, agent, principal, idempotencyKey } = chat;
    try {
      const turn = await this.turns.submit({
        sessionId,
        principal,
        message,
        opts: { persona: agent },
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
