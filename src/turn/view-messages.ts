import type { StoredPart } from '../attachments/stored-part.js';
import type { AssistantPart } from '../provider/model-types.js';
import type { StoredTurn } from './load-turn.js';

export interface MessageView {
  messageId: string;
  turnId: string;
  role: 'user' | 'assistant';
  /** `active` while its turn runs; `cut` when its turn ended before it was complete. */
  status: 'active' | 'complete' | 'cut';
  /** ISO-8601. */
  createdAt: string;
  parts: MessagePart[];
}

export type MessagePart =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  | { type: 'file'; name: string; path: string; mimeType: string; size: number }
  | {
      type: 'tool';
      toolUseId: string;
      name: string;
      input: unknown;
      status: string;
      output: string | null;
    };

/** A session's messages, oldest first: `GET /api/harness/sessions/:id/messages`. Pure. */
export function viewMessages(turns: readonly StoredTurn[]): MessageView[] {
  return turns.flatMap((stored) => {
    const { turn, steps } = stored;
    const user: MessageView = {
      messageId: stored.userMessageId,
      turnId: turn.id,
      role: 'user',
      status: 'complete',
      createdAt: turn.createdAt.toISOString(),
      parts: stored.userParts.map(viewUserPart),
    };
    if (steps.length === 0) return [user];
    const assistant: MessageView = {
      messageId: assistantMessageId(turn.id),
      turnId: turn.id,
      role: 'assistant',
      status: assistantStatus(turn.status),
      createdAt: (turn.endedAt ?? turn.startedAt ?? turn.createdAt).toISOString(),
      parts: steps.flatMap((step) => step.parts.flatMap((part) => viewPart(part, stored))),
    };
    return [user, assistant];
  });
}

/** The id of the message that answers a turn: known before the turn has begun. */
export function assistantMessageId(turnId: string): string {
  return turnId.replace(/^turn_/, 'msg_');
}

function assistantStatus(status: StoredTurn['turn']['status']): MessageView['status'] {
  if (status === 'queued' || status === 'running') return 'active';
  return status === 'completed' ? 'complete' : 'cut';
}

function viewUserPart(part: StoredPart): MessagePart {
  if (part.type === 'text') return part;
  const { name, path, mimeType, size } = part.file;
  return { type: 'file', name, path, mimeType, size };
}

function viewPart(part: AssistantPart, stored: StoredTurn): MessagePart[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'thinking':
      return [{ type: 'thinking', text: part.thinking }];
    case 'tool_use': {
      const call = stored.calls.find((row) => row.callId === part.id);
      const { id: toolUseId, name, input } = part;
      const status = call?.status ?? 'requested';
      return [{ type: 'tool', toolUseId, name, input, status, output: call?.output ?? null }];
    }
    case 'redacted_thinking':
    case 'opaque':
      return [];
  }
}
