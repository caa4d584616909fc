import type { TurnServices } from './turn-services.js';
import { cancelTurn } from './cancel-turn.js';
import { followTurn } from './follow-turn.js';
import { turnInProgress } from './turn-errors.js';
import { findActiveTurn } from './turn-lookup.js';

/** How long a delete waits for the session's turn to end. */
const END_WAIT_MS = 10_000;

/**
 * Deletes a session. A turn that runs in it is ended first, so that its readers see its end before
 * its log is gone.
 *
 * @throws TypedError SESSION_NOT_FOUND 404; TURN_IN_PROGRESS 409 when the turn did not end in time.
 */
export async function closeSession(services: TurnServices, sessionId: string): Promise<void> {
  const { db, sessions } = services;
  await sessions.get(sessionId);
  const active = await findActiveTurn(db, sessionId);
  if (active !== undefined) {
    await cancelTurn(services, active.id, 'session-deleted');
    await awaitEnd(services, active.id);
    if ((await findActiveTurn(db, sessionId)) !== undefined) throw turnInProgress(sessionId);
  }
  await sessions.delete(sessionId);
}

async function awaitEnd(services: TurnServices, turnId: string): Promise<void> {
  const patience = new AbortController();
  const cancelTimer = services.clock.after(END_WAIT_MS, () => patience.abort());
  try {
    for await (const events of followTurn(services, turnId, patience.signal)) {
      if (events.some((event) => event.type === 'turn.ended')) return;
    }
  } finally {
    cancelTimer();
  }
}
