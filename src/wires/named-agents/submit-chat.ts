import { isSessionMissing } from '../../session/session-errors.js';
import { isTypedError } from '../../errors/typed-error.js';
import type { Principal } from '../../access/principal.js';
import { newTimeId } from '../../platform/ids.js';
import type { SubmittedTurn } from '../../turn/submit/turn-submission.js';
import type { TurnService } from '../../turn/turn-service.js';
import type { TurnServices } from '../../turn/state/turn-services.js';
import { isLiveSession } from './agent-lookup.js';
import { agentSessionBusy } from './holodeck-errors.js';
import type { ReceivedChat } from './receive-chat.js';

export interface SubmitDeps {
  turns: TurnService;
  services: Pick<TurnServices, 'db' | 'clock' | 'logger' | 'sessions' | 'projectRoots'>;
  /** How long a session is kept without use. */
  sessionMs: number;
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

/**
 * Submits a chat to its session, or to a new one where it names none that the agent can go on in.
 *
 * @throws TypedError TURN_IN_PROGRESS 409, SESSION_LIMIT 429; those of `submit`. A session that was
 *   made for it is gone then.
 */
export async function submitChat(deps: SubmitDeps, chat: Chat): Promise<SubmittedChat> {
  return (await goOn(deps, chat)) ?? begin(deps, chat);
}

async function goOn(deps: SubmitDeps, chat: Chat): Promise<SubmittedChat | undefined> {
  const { sessionId, agent, principal } = chat;
  if (sessionId === undefined) return undefined;
  const { db, clock } = deps.services;
  const now = new Date(clock.now());
  if (!(await isLiveSession(db, { sessionId, agent, principalId: principal.id, now })))
    return undefined;
  try {
    return await submitTo(deps, chat, sessionId);
  } catch (error) {
    // Deleted, or expired, since the look.
    if (isSessionMissing(error, 'NO_SUCH_SESSION')) return undefined;
    throw error;
  }
}

async function begin(deps: SubmitDeps, chat: Chat): Promise<SubmittedChat> {
  const { turns, services, sessionMs } = deps;
  const { id: principalId } = chat.principal;
  const { id: sessionId } = await services.sessions.create({
    id: newTimeId('sess', services.clock.now()),
    principalId,
    projectRoot: await services.projectRoots.defaultOf(chat.principal),
    persona: chat.agent,
    mode: 'direct',
    origin: 'named-agents',
    expiresAfterMs: sessionMs,
  });
  try {
    return await submitTo(deps, chat, sessionId);
  } catch (error) {
    // A session that never began: nobody knows of it.
    await turns
      .deleteSession(sessionId, principalId)
      .catch((fault: unknown) => services.logger.warn({ sessionId, error: fault }, 'left over'));
    throw error;
  }
}

async function submitTo(deps: SubmitDeps, chat: Chat, sessionId: string): Promise<SubmittedChat> {
  const { message, files, agent, principal, idempotencyKey } = chat;
  try {
    const turn = await deps.turns.submit({
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
    });
    return { turn, sessionId };
  } catch (error) {
    throw isTypedError(error, 'TURN_IN_PROGRESS') ? agentSessionBusy() : error;
  }
}
