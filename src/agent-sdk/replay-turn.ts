import type { TurnpikeClient } from '../client/turnpike-client.js';
import { isRefusal } from './is-refusal.js';
import { interruptionUuid, TurnFold } from './fold-turn.js';
import { uuidOf } from './message-ids.js';
import type { SDKAssistantMessage, SDKMessage, SDKToolResultMessage } from './sdk-messages.js';

/** The conversation of a turn that has ended. */
export interface ReplayedTurn {
  /** Without those that are void. */
  messages: (SDKAssistantMessage | SDKToolResultMessage)[];
  /** The uuids of what told its end; none where its events are gone. */
  endUuids: string[];
}

/** A turn's messages, from its events: those that its readers had, under the same ids. None where its events are gone. */
export async function replayTurn(
  client: TurnpikeClient,
  { turnId, sessionId }: { turnId: string; sessionId: string },
): Promise<ReplayedTurn> {
  const fold = new TurnFold({ turnId, sessionId, partial: false });
  const messages: ReplayedTurn['messages'] = [];
  const endUuids: string[] = [];
  try {
    for await (const event of client.follow(turnId)) {
      if (event.event === 'turn:end') endUuids.push(uuidOf(event.id), interruptionUuid(event.id));
      for (const message of fold.take(event)) {
        // What tells an interruption is nothing that was said.
        if (message.type === 'assistant' || isToolResult(message)) messages.push(message);
      }
    }
  } catch (error) {
    if (isRefusal(error, 'STREAM_EXPIRED')) return { messages: [], endUuids };
    throw error;
  }
  const voided = new Set(
    messages.flatMap((one) => ('supersedes' in one ? (one.supersedes ?? []) : [])),
  );
  const kept = messages.filter(({ uuid }) => !voided.has(uuid));
  return { messages: kept, endUuids };
}

function isToolResult(message: SDKMessage): message is SDKToolResultMessage {
  return message.type === 'user' && 'tool_use_result' in message;
}
