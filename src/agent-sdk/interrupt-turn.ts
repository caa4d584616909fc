import type { FollowedTurn } from '../client/turnpike-client.js';
import { isRefusal } from './is-refusal.js';
import type { QueryState } from './query-state.js';

/** Ends the turn that is being read, if there is one. Its result comes after the server's answer. */
export async function interruptTurn(state: QueryState): Promise<void> {
  if (state.turn === undefined) return;
  state.interrupting = endTurn(state.turn);
  await state.interrupting;
}

/** Ends a turn. One that has ended meanwhile is no fault. */
export async function endTurn(turn: FollowedTurn): Promise<void> {
  try {
    await turn.interrupt();
  } catch (error) {
    if (!isRefusal(error, 'TURN_NOT_FOUND')) throw error;
  }
}
