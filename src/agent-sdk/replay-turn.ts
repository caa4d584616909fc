import type { TurnpikeClient } from '../client/turnpike-client.js';
import { isRefusal } from './is-refusal.js';
import { TurnFold } from './fold-turn.js';
import { uuidOf } from './message-ids.js';
import type { SDKAssistantMessage, SDKToolResultMessage } from './sdk-messages.js';

/** The conversation of a turn that has ended. */
export interface ReplayedTurn {
  /** Without those that are void. */
  messages: (SDKAssistantMessage | SDKToolResultMessage)[];
  /** The uuid of the result that ended it; undefined where its events are gone. */
  resultUuid?: string;
}

/** A turn's messages, from its events: those that its readers had, under the same ids. None where its events are gone. */
export async function replayTurn(
  client: TurnpikeClient,
  { turnId, sessionId }: { turnId: string; sessionId: string },
): Promise<ReplayedTurn> {
  const fold = new TurnFold({ turnId, sessionId, partial: false });
  const messages: ReplayedTurn['messages'] = [];
  let resultUuid: string | undefined;
  try {
    for await (const event of client.follow(turnId)) {
      if (event.event === 'turn:end') resultUuid = uuidOf(event.id);
      for (const message of fold.take(event)) {
        if (message.type === 'assistant' || message.type === 'user') messages.push(message);
      }
    }
  } catch (error) {
    if (isRefusal(error, 'STREAM_EXPIRED')) return { messages: [] };
    throw error;
  }
  const voided = new Set(
    messages.flatMap((one) => ('supersedes' in one ? (one.supersedes ?? []) : [])),
  );
  const kept = messages.filter(({ uuid }) => !voided.has(uuid));
  return { messages: kept, ...(resultUuid === undefined ? {} : { resultUuid }) };
}
