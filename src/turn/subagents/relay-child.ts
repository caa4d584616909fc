import { comparePositions } from '../../events/cursor.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { followTurn } from '../follow-turn.js';
import type { Attempt } from '../turn-run.js';
import type { TurnServices } from '../turn-services.js';
import type { ChildTurn } from './child-turn.js';

export type ChildEnd = Extract<TurnEvent, { type: 'turn.ended' }>;

/**
 * Tells a subagent's stream on its parent's, from where it was told to, each event once.
 *
 * @param onEvent told of each, after it was told.
 * @returns its end; undefined when `signal` aborted before, or it was deleted.
 */
export async function relayChild(
  services: Pick<TurnServices, 'log' | 'db' | 'ends'>,
  { writer }: Pick<Attempt, 'writer'>,
  child: ChildTurn,
  { signal, onEvent }: { signal: AbortSignal; onEvent?(event: TurnEvent): Promise<void> },
): Promise<ChildEnd | undefined> {
  const { id: childTurnId, callId } = child;
  for await (const events of followTurn(services, childTurnId, signal)) {
    for (const event of events) {
      if (comparePositions(event, child.told) > 0) {
        child.told = event;
        writer.emit({ type: 'subagent.told', callId, childTurnId, event });
        await onEvent?.(event);
      }
      if (event.type === 'turn.ended') return event;
    }
  }
  return undefined;
}
