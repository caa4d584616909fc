import type { AssistantPart, ModelMessage, UserPart } from '../provider/model-types.js';
import type { TurnStatus, ToolCallStatus } from '../storage/schema.js';

/** What the model is shown of one turn. Files are loaded already. */
export interface TurnTranscript {
  userParts: UserPart[];
  steps: readonly { parts: readonly AssistantPart[] }[];
  /** By call id. A call without an entry did not run. */
  results: ReadonlyMap<string, { status: ToolCallStatus; output: string | null }>;
  status: TurnStatus;
  endReason: string | null;
}

/**
 * The messages of a model call, from the stored truth alone: the same turns give the same bytes,
 * step after step and after a crash. Pure.
 *
 * Every tool call is answered, as providers demand. A turn that was cut says so in the history, so
 * that the model does not take half an answer for a whole one.
 */
export function buildMessages(turns: readonly TurnTranscript[]): ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (const turn of turns) {
    append(messages, { role: 'user', parts: turn.userParts });
    for (const step of turn.steps) {
      const parts = step.parts.filter((part) => part.type !== 'text' || part.text !== '');
      append(messages, { role: 'assistant', parts });
      const results = parts.flatMap((part) =>
        part.type === 'tool_use' ? [answer(part, turn)] : [],
      );
      append(messages, { role: 'user', parts: results });
    }
    const cut = cutMarker(turn);
    if (cut !== undefined)
      append(messages, { role: 'assistant', parts: [{ type: 'text', text: cut }] });
  }
  return messages;
}

/** Neighbours of one role are one message: a paused reply goes on where it stopped. */
function append(messages: ModelMessage[], message: ModelMessage): void {
  if (message.parts.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === 'user' && message.role === 'user')
    last.parts = [...last.parts, ...message.parts];
  else if (last?.role === 'assistant' && message.role === 'assistant') {
    last.parts = [...last.parts, ...message.parts];
  } else messages.push(message);
}

function answer(call: { id: string }, turn: TurnTranscript): UserPart {
  const result = turn.results.get(call.id);
  const output = result?.output ?? 'This call was not run: the turn ended before it.';
  return {
    type: 'tool_result',
    callId: call.id,
    output,
    isError: result?.status !== 'success',
  };
}

const cutTexts: Partial<Record<TurnStatus, string>> = {
  interrupted: '[This reply was interrupted before it was complete.]',
  failed: '[This reply ended with an error before it was complete.]',
};

function cutMarker(turn: TurnTranscript): string | undefined {
  if (turn.status === 'limited')
    return `[This reply was cut off: ${turn.endReason ?? 'limit reached'}.]`;
  return cutTexts[turn.status];
}
