import type { FollowedTurn } from '../client/turnpike-client.js';
import type { QueryState } from './query-state.js';
import { closed } from './query-state.js';
import { readTurn } from './read-turn.js';
import type { SDKMessage } from './sdk-messages.js';

/**
 * The messages of the last turn of a session, with its result, from its first one or after one that is known.
 *
 * @throws Error for a session without a turn, and for a message that its last turn has not.
 */
export async function* attachTo(
  state: QueryState,
  sessionId: string,
  after: string | undefined,
): AsyncGenerator<SDKMessage, void, undefined> {
  const { client, leaving } = state;
  try {
    const record = await client.sessions.get(sessionId);
    const { turns } = await client.sessions.turns(sessionId, { limit: 1 });
    const [last] = turns;
    if (last === undefined) throw new Error('The session has no turn to attach to');
    state.sessionId = sessionId;
    state.cwd = record.projectRoot;
    const turn = client.follow(last.turnId, { signal: leaving.signal });
    let isKnown = after !== undefined;
    for await (const message of wholeTurn(state, turn)) {
      if (!isKnown) yield message;
      else if (message.uuid === after) isKnown = false;
    }
    if (isKnown) {
      throw new Error(
        `The last turn of the session has no message ${after}: attach without it, or read getSessionMessages`,
      );
    }
  } catch (error) {
    if (error !== closed) throw error;
  }
}

/** The messages of a turn, and its result. */
async function* wholeTurn(
  state: QueryState,
  turn: FollowedTurn,
): AsyncGenerator<SDKMessage, void, undefined> {
  yield yield* readTurn(state, turn, true);
}
