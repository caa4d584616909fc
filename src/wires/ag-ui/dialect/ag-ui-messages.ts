import { assertNever } from '../../../platform/face.js';
import type { AgUiEvent, AgUiMessage } from './ag-ui-frames.js';

/** The messages of a run after an event of its stream, as its clients fold them. Pure. */
export function followMessages(
  messages: readonly AgUiMessage[],
  event: AgUiEvent,
): readonly AgUiMessage[] {
  switch (event.type) {
    case 'TEXT_MESSAGE_START':
      return ensure(messages, { id: event.messageId, role: 'assistant', ...by(event) });
    case 'REASONING_MESSAGE_START':
      return ensure(messages, {
        id: event.messageId,
        role: 'reasoning',
        content: '',
        ...by(event),
      });
    case 'TEXT_MESSAGE_CONTENT':
    case 'REASONING_MESSAGE_CONTENT':
      return change(messages, event.messageId, (message) => ({
        ...message,
        content: textOf(message) + event.delta,
      }));
    case 'TOOL_CALL_START': {
      const { toolCallId: id, toolCallName: name, parentMessageId } = event;
      const parent = { id: parentMessageId, role: 'assistant', ...by(event) };
      const call = { id, type: 'function' as const, function: { name, arguments: '' } };
      return change(ensure(messages, parent), parentMessageId, (message) =>
        message.toolCalls?.some((one) => one.id === id) === true
          ? message
          : { ...message, toolCalls: [...(message.toolCalls ?? []), call] },
      );
    }
    case 'TOOL_CALL_ARGS':
      return growArguments(messages, event.toolCallId, event.delta);
    case 'TOOL_CALL_RESULT': {
      const { messageId: id, toolCallId, content } = event;
      return ensure(messages, { id, role: 'tool', toolCallId, content, ...by(event) });
    }
    case 'RUN_STARTED':
    case 'RUN_FINISHED':
    case 'RUN_ERROR':
    case 'MESSAGES_SNAPSHOT':
    case 'STATE_SNAPSHOT':
    case 'STATE_DELTA':
    case 'STEP_STARTED':
    case 'STEP_FINISHED':
    case 'TEXT_MESSAGE_END':
    case 'REASONING_START':
    case 'REASONING_END':
    case 'REASONING_MESSAGE_END':
    case 'TOOL_CALL_END':
    case 'SUBAGENT_STARTED':
    case 'SUBAGENT_FINISHED':
    case 'SUBAGENT_ERROR':
    case 'CUSTOM':
      return messages;
    default:
      return assertNever(event);
  }
}

/**
 * Drops a step's message, and empties its thoughts: clients keep a thought that a snapshot leaves
 * out, unless the snapshot has other thoughts.
 */
export function forgetStep(
  messages: readonly AgUiMessage[],
  ids: { text: string; thinking: string },
): readonly AgUiMessage[] {
  const left = messages.filter(({ id }) => id !== ids.text);
  return change(left, ids.thinking, (message) => ({ ...message, content: '' }));
}

/** The whole conversation: what there was before, and what the run has added. */
export function wholeConversation(
  before: readonly AgUiMessage[],
  messages: readonly AgUiMessage[],
): AgUiMessage[] {
  const ids = new Set(before.map(({ id }) => id));
  const answered = new Set(before.flatMap(({ toolCallId }) => toolCallId ?? []));
  const added = messages.filter(
    ({ id, toolCallId }) => !ids.has(id) && (toolCallId === undefined || !answered.has(toolCallId)),
  );
  return [...before, ...added];
}

function by({ subagentRunId }: { subagentRunId?: string }): { subagentRunId?: string } {
  return subagentRunId === undefined ? {} : { subagentRunId };
}

/** The text of a message of the assistant. */
export function textOf({ content }: AgUiMessage): string {
  return typeof content === 'string' ? content : '';
}

function ensure(messages: readonly AgUiMessage[], message: AgUiMessage): readonly AgUiMessage[] {
  return messages.some(({ id }) => id === message.id) ? messages : [...messages, message];
}

function change(
  messages: readonly AgUiMessage[],
  id: string,
  edit: (message: AgUiMessage) => AgUiMessage,
): readonly AgUiMessage[] {
  const index = messages.findLastIndex((message) => message.id === id);
  const message = messages[index];
  return message === undefined ? messages : messages.with(index, edit(message));
}

function growArguments(
  messages: readonly AgUiMessage[],
  callId: string,
  delta: string,
): readonly AgUiMessage[] {
  const owner = messages.findLast(({ toolCalls }) => toolCalls?.some(({ id }) => id === callId));
  if (owner === undefined) return messages;
  const toolCalls = (owner.toolCalls ?? []).map((call) =>
    call.id === callId
      ? { ...call, function: { ...call.function, arguments: call.function.arguments + delta } }
      : call,
  );
  return change(messages, owner.id, (message) => ({ ...message, toolCalls }));
}
