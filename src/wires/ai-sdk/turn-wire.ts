import { assistantMessageId } from '../../turn/state/assistant-message-id.js';
import type { TurnRow } from '../../turn/state/turn-lookup.js';
import type { AiSdkRange } from './dialect/ai-sdk-state.js';
import { aiSdkDialect } from './dialect/ai-sdk.js';

/** A turn as its streams need it. */
export type StreamedTurn = Pick<TurnRow, 'id' | 'sessionId' | 'options'>;

/** The dialect of a turn's stream. A message that was steered into the turn has an answer of its own. */
export function turnWire(
  { id: turnId, sessionId, options }: StreamedTurn,
  range: Omit<AiSdkRange, 'clientTools'>,
) {
  const clientTools = (options.options.clientTools ?? []).map(({ name }) => name);
  const own = assistantMessageId(turnId);
  const { from } = range;
  const messageId = typeof from === 'string' ? own : `${own}:${from.steered}`;
  return aiSdkDialect({ sessionId, turnId, messageId }, { ...range, clientTools });
}
