import type { StoredPart } from '../../storage/shapes/stored-part.js';
import type { StoredNotice } from '../../notices/notice.js';
import { unendedStatuses } from '../../storage/shapes/stored-turn.js';
import { assistantMessageId } from '../state/assistant-message-id.js';
import type { StoredTurn } from '../state/load-turn.js';
import { viewStepParts, viewSteps, type MessagePart, type StepView } from './view-steps.js';

export interface MessageView {
  messageId: string;
  turnId: string;
  role: 'user' | 'assistant' | 'system';
  /** `active` while its turn runs; `cut` when its turn ended before it was complete. */
  status: 'active' | 'complete' | 'cut';
  /** ISO-8601. */
  createdAt: string;
  parts: MessagePart[];
  /** A summary stands for the message when the model is called. */
  compacted?: boolean;
  /** The turn that took the place of its turn. Absent: it is in the conversation. */
  supersededBy?: string;
  /** The step after which a steered message was delivered; absent on others. */
  afterStep?: number;
  /** Model calls that an assistant's message consists of, in order. */
  steps?: StepView[];
}

/** A session's messages, oldest first: `GET /api/harness/sessions/:id/messages`. Pure. */
export function viewMessages(turns: readonly StoredTurn[]): MessageView[] {
  return turns.flatMap((stored) => {
    const { supersededBy } = stored.turn;
    const messages = viewTurnMessages(stored);
    return supersededBy === null
      ? messages
      : messages.map((message) => ({ ...message, supersededBy }));
  });
}

function viewTurnMessages(stored: StoredTurn): MessageView[] {
  const { turn, steps } = stored;
  const user: MessageView = {
    messageId: stored.userMessageId,
    turnId: turn.id,
    role: 'user',
    status: 'complete',
    createdAt: turn.createdAt.toISOString(),
    parts: stored.userParts.map(viewUserPart),
  };
  const asked = [user, ...stored.notices.filter(isOwnMessage).map(viewNoticeMessage)];
  asked.push(...stored.steered.map((message) => viewSteered(turn, message)));
  if (steps.length === 0) return asked;
  const assistant: MessageView = {
    messageId: assistantMessageId(turn.id),
    turnId: turn.id,
    role: 'assistant',
    status: assistantStatus(turn.status),
    createdAt: (turn.endedAt ?? turn.startedAt ?? turn.createdAt).toISOString(),
    parts: [...steps.flatMap((step) => viewStepParts(step, stored)), ...viewEndNote(turn)],
    steps: viewSteps(stored),
  };
  return [...asked, assistant];
}

/** Notices of a conversation stand between its messages; notices of a loop, between its steps. */
function isOwnMessage(notice: StoredNotice): boolean {
  return notice.level === 'message';
}

function viewSteered(
  turn: StoredTurn['turn'],
  { messageId, afterStep, text }: StoredTurn['steered'][number],
): MessageView {
  return {
    messageId,
    turnId: turn.id,
    role: 'user',
    status: 'complete',
    createdAt: turn.createdAt.toISOString(),
    parts: [{ type: 'text', text }],
    afterStep,
  };
}

function viewNoticeMessage(notice: StoredTurn['notices'][number]): MessageView {
  return {
    messageId: `${assistantMessageId(notice.turnId)}-${notice.mark}`,
    turnId: notice.turnId,
    role: 'system',
    status: 'complete',
    createdAt: notice.createdAt.toISOString(),
    parts: [{ type: 'text', text: notice.text }],
  };
}

function viewEndNote({ endNote }: StoredTurn['turn']): MessagePart[] {
  return endNote === null ? [] : [{ type: 'text', text: endNote }];
}

function assistantStatus(status: StoredTurn['turn']['status']): MessageView['status'] {
  if (unendedStatuses.some((one) => one === status)) return 'active';
  return status === 'completed' ? 'complete' : 'cut';
}

function viewUserPart(part: StoredPart): MessagePart {
  if (part.type === 'text') return part;
  const { name, path, mimeType, size } = part.file;
  return { type: 'file', name, ...(path === undefined ? {} : { path }), mimeType, size };
}
