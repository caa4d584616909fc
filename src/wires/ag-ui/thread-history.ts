import type { StoredPart } from '../../storage/shapes/stored-part.js';
import { viewMessages } from '../../turn/history/view-messages.js';
import type { MessagePart, StepView } from '../../turn/history/view-steps.js';
import type { StoredTurn } from '../../turn/state/load-turn.js';
import type { AgUiMessage } from './dialect/ag-ui-event.js';

/**
 * A session's turns as messages of the protocol, under the ids that its stream gave them. Pure.
 *
 * @param upTo the turn whose user message is the last one; undefined: all of all turns.
 */
export function viewThread(turns: readonly StoredTurn[], upTo?: string): AgUiMessage[] {
  const index = turns.findIndex(({ turn }) => turn.id === upTo);
  const current = turns[index];
  const before = current === undefined ? turns : turns.slice(0, index);
  const messages = viewMessages(before).flatMap(({ messageId, role, parts, steps = [] }) => {
    switch (role) {
      case 'user':
        return [userMessage(messageId, parts)];
      case 'assistant':
        return steps.flatMap((step) => viewStep(messageId, step));
      // Notices are the server's, and none of the conversation.
      case 'system':
        return [];
    }
  });
  return current === undefined
    ? messages
    : [...messages, userMessage(current.userMessageId, current.userParts)];
}

function userMessage(id: string, parts: readonly (MessagePart | StoredPart)[]): AgUiMessage {
  const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []));
  return { id, role: 'user', content: texts.join('\n\n') };
}

function viewStep(messageId: string, { step, parts }: StepView): AgUiMessage[] {
  const id = `${messageId}-${step}`;
  const thoughts = parts.flatMap((part) => (part.type === 'thinking' ? part.text : []));
  const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []));
  const calls = parts.flatMap((part) => (part.type === 'tool' ? [part] : []));
  const toolCalls = calls.map(({ toolUseId, name, input }) => ({
    id: toolUseId,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(input ?? {}) },
  }));
  return [
    ...(thoughts.length === 0
      ? []
      : [{ id: `${id}-thinking`, role: 'reasoning', content: thoughts.join('') }]),
    {
      id,
      role: 'assistant',
      content: texts.join(''),
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
    },
    ...calls.flatMap(({ toolUseId, output }) =>
      output === null
        ? []
        : [{ id: `${toolUseId}-result`, role: 'tool', toolCallId: toolUseId, content: output }],
    ),
  ];
}
