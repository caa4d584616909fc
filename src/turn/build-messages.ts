import type { AssistantPart, ModelMessage, UserPart } from '../provider/model-types.js';
import type { StoredNotice } from '../notices/notice.js';
import { asSystemBlock, escapeSystemTags } from '../notices/notice-text.js';
import type { TurnStatus, ToolCallStatus } from '../storage/schema.js';

/** What the model is shown of one turn. Files are loaded already. */
export interface TurnTranscript {
  userParts: UserPart[];
  steps: readonly { step: number; parts: readonly AssistantPart[] }[];
  /** By call id. A call without an entry did not run. */
  results: ReadonlyMap<string, { status: ToolCallStatus; output: string | null }>;
  /** What the server said to the model on the way, in order. */
  notices: readonly Pick<StoredNotice, 'afterStep' | 'mark' | 'kind' | 'text' | 'seenByModel'>[];
  /** What the user said on the way, in order. */
  joined: readonly { afterStep: number; text: string }[];
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
export function buildMessages(
  turns: readonly TurnTranscript[],
  model: { takesSystemMessages: boolean },
): ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (const turn of turns) {
    append(messages, { role: 'user', parts: turn.userParts.map(escaped) });
    hear(messages, turn, 0);
    tell(messages, noticesAfter(turn, 0), model);
    for (const step of turn.steps) {
      const parts = step.parts.filter((part) => part.type !== 'text' || part.text !== '');
      append(messages, { role: 'assistant', parts });
      const results = parts.flatMap((part) =>
        part.type === 'tool_use' ? [answer(part, turn)] : [],
      );
      append(messages, { role: 'user', parts: results.map(escaped) });
      hear(messages, turn, step.step);
      tell(messages, noticesAfter(turn, step.step), model);
    }
    const cut = cutMarker(turn);
    if (cut !== undefined)
      append(messages, { role: 'assistant', parts: [{ type: 'text', text: cut }] });
  }
  return messages;
}

/** What the user said while the turn ran, where the model first heard it. */
function hear(messages: ModelMessage[], { joined }: TurnTranscript, step: number): void {
  const parts = joined
    .filter(({ afterStep }) => afterStep === step)
    .map(({ text }): UserPart => ({ type: 'text', text }));
  append(messages, { role: 'user', parts: parts.map(escaped) });
}

function noticesAfter(turn: TurnTranscript, step: number) {
  return turn.notices.filter((notice) => notice.seenByModel && notice.afterStep === step);
}

/**
 * What the server tells the model: a system message where the model takes one there, which is after
 * a user's only; a marked block of the user's message where it does not.
 */
function tell(
  messages: ModelMessage[],
  notices: readonly { kind: string; text: string }[],
  { takesSystemMessages }: { takesSystemMessages: boolean },
): void {
  if (notices.length === 0) return;
  if (takesSystemMessages && messages.at(-1)?.role === 'user') {
    messages.push({ role: 'system', text: notices.map(({ text }) => text).join('\n\n') });
    return;
  }
  const parts = notices.map(({ kind, text }) => ({
    type: 'text' as const,
    text: asSystemBlock(kind, text),
  }));
  append(messages, { role: 'user', parts });
}

/** What people, files and tools write is never taken for the server's own words. */
function escaped(part: UserPart): UserPart {
  if (part.type === 'tool_result') return { ...part, output: escapeSystemTags(part.output) };
  if (part.type !== 'text' && part.type !== 'document') return part;
  return { ...part, text: escapeSystemTags(part.text) };
}

/** Neighbours of one role are one message: a paused reply goes on where it stopped. */
function append(
  messages: ModelMessage[],
  message: Exclude<ModelMessage, { role: 'system' }>,
): void {
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
