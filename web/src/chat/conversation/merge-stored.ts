import { compact } from '../../../../src/platform/compact.js';
import type { StoredConversation } from './conversation-server.js';
import type { ShownTurn } from './shown-turn.js';
import { turnsOfMessages } from './view-messages.js';

const activeStatuses: readonly string[] = ['held', 'queued', 'running', 'waiting'];

/** Whether the status is that of a turn that has not ended. */
export function isActive(status: string): boolean {
  return activeStatuses.includes(status);
}

/**
 * The stored turns, merged into the shown ones: turns that the page follows stay as they are, and
 * submissions under way stay at the end. Pure.
 */
export function mergeStored(
  shown: readonly ShownTurn[],
  { messages, turns }: StoredConversation,
  followed: ReadonlySet<string>,
): readonly ShownTurn[] {
  const listed = new Map(turns.map((turn) => [turn.turnId, turn]));
  const stored = turnsOfMessages(messages).map((turn): ShownTurn => {
    const known = shown.find(({ turnId }) => turnId === turn.turnId);
    // A list that was asked for earlier may not know yet of the turn that took this one's place.
    const { leftOut } = turn;
    const place = compact({ supersededBy: turn.supersededBy ?? known?.supersededBy, leftOut });
    if (known !== undefined && followed.has(turn.turnId)) {
      const { leftOut: _before, ...rest } = known;
      return { ...rest, ...place };
    }
    const { status, model } = listed.get(turn.turnId) ?? {};
    const isOver = status === undefined || !isActive(status);
    const view = { ...turn.view, ...(model === undefined ? {} : { model }) };
    return { ...turn, ...place, view: isOver ? { ...view, phase: 'ended' } : view };
  });
  const ids = new Set(stored.map(({ turnId }) => turnId));
  return [...stored, ...shown.filter(({ turnId }) => !ids.has(turnId))];
}
