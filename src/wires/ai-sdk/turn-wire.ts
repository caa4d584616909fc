import { assistantMessageId, type TurnRow } from '../../turn/state/turn-row.js';
import type { AiSdkRange } from './dialect/ai-sdk.js';
import { aiSdkDialect } from './dialect/ai-sdk.js';

/** A turn as its streams need it. */
export type StreamedTurn = Pick<TurnRow, 'id' | 'sessionId' | 'options'>;

/**
 * The dialect of a turn's stream. A message that was steered into the turn has an answer of its own.
 *
 * @param answeredIn id of the message with the answers that the stream follows. Default: the turn's own.
 */
export function turnWire(
  { id: turnId, sessionId, options }: StreamedTurn,
  range: Omit<AiSdkRange, 'clientTools'>,
  answeredIn = '',
) {
  const clientTools = (options.options.clientTools ?? []).map(({ name }) => name);
  const own = assistantMessageId(turnId);
  const { from } = range;
  const goesOn = answeredIn.startsWith(`${own}:`) ? answeredIn : own;
  const messageId = typeof from === 'string' ? goesOn : `${own}:${from.steered}`;
  return aiSdkDialect({ sessionId, turnId, messageId }, { ...range, clientTools });
}
