import type { UIMessage } from 'ai';
import { viewMessages } from '../../turn/history/view-messages.js';
import type { MessagePart } from '../../turn/history/view-steps.js';
import { assistantMessageId } from '../../turn/state/turn-row.js';
import type { StoredTurn } from '../../turn/state/stored-turn.js';

type Part = UIMessage['parts'][number];

/** The answer of an ended turn whose events are kept no longer: texts, thinking and calls of its steps. Pure. */
export function viewSteps(stored: StoredTurn): UIMessage {
  const { turn } = stored;
  const { status: outcome, endReason: reason, usage, sessionId, id: turnId, startedAt } = turn;
  const { persona: agent, model } = turn.options.options;
  const createdAt = startedAt?.toISOString();
  const answer = viewMessages([stored]).find(({ role }) => role === 'assistant');
  return {
    id: assistantMessageId(turnId),
    role: 'assistant',
    metadata: { sessionId, turnId, agent, model, createdAt, outcome, reason, usage },
    parts: answer?.parts.flatMap(viewPart) ?? [],
  };
}

function viewPart(part: MessagePart): Part[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, state: 'done' }];
    case 'thinking':
      return [{ type: 'reasoning', text: part.text, state: 'done' }];
    case 'tool': {
      const { toolUseId: toolCallId, name: toolName, input, status, output } = part;
      const call = {
        type: 'dynamic-tool',
        toolName,
        toolCallId,
        input,
        providerExecuted: true,
      } as const;
      return status === 'success'
        ? [{ ...call, state: 'output-available', output }]
        : [{ ...call, state: 'output-error', errorText: output ?? status }];
    }
    case 'file':
      return [];
  }
}
