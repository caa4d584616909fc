import { storedFileId, storedFileUrl } from '../../attachments/stored-files.js';
import type { StoredPart } from '../../storage/shapes/stored-step.js';
import type { StoredNotice } from '../../notices/notice.js';
import { compact } from '../../platform/compact.js';
import { unendedStatuses } from '../../storage/shapes/stored-turn.js';
import { assistantMessageId } from '../state/turn-row.js';
import { callKey, partKey } from '../prompt/leave-out.js';
import type { Refused } from '../state/left-out.js';
import type { StoredTurn } from '../state/stored-turn.js';
import {
  viewNotice,
  viewStepParts,
  viewSteps,
  type MessagePart,
  type NoticeView,
  type StepView,
} from './view-steps.js';

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
  /**
   * The turn is not sent to the model: its request was refused or too long, or the model declined to answer it.
   * Absent: it is.
   */
  leftOut?: Refused;
  /** The step after which a steered message was delivered; absent on others. */
  afterStep?: number;
  /** What a `system` message says, with its facts; absent on others. */
  notice?: NoticeView;
  /** Model calls that an assistant's message consists of, in order. */
  steps?: StepView[];
}

/**
 * A session's messages, oldest first: `GET /api/harness/sessions/:id/messages`. Pure.
 *
 * @param leftOut keys of what requests are sent without: see `RequestPrefix`.
 */
export function viewMessages(
  turns: readonly StoredTurn[],
  leftOut: readonly string[] = [],
): MessageView[] {
  const keys = new Set(leftOut);
  return turns.flatMap((stored) => {
    const { id, supersededBy, leftOut: why } = stored.turn;
    const place = compact({
      supersededBy: supersededBy ?? undefined,
      leftOut: why === 'superseded' ? undefined : (why ?? (keys.has(id) ? 'refused' : undefined)),
    });
    return viewTurnMessages(stored).map((message) => ({
      ...message,
      ...place,
      parts: message.parts.map((part, index) =>
        keys.has(keyOf(part, id, index)) ? { ...part, leftOut: true as const } : part,
      ),
    }));
  });
}

function keyOf(part: MessagePart, turnId: string, index: number): string {
  if (part.type === 'tool') return callKey(turnId, part.toolUseId);
  return part.type === 'file' ? partKey(turnId, index) : '';
}

function viewTurnMessages(stored: StoredTurn): MessageView[] {
  const { turn, steps } = stored;
  const user: MessageView = {
    messageId: stored.userMessageId,
    turnId: turn.id,
    role: 'user',
    status: 'complete',
    createdAt: turn.createdAt.toISOString(),
    parts: stored.userParts.map((part, index) => viewUserPart(part, turn.id, index)),
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
    notice: viewNotice(notice),
  };
}

function viewEndNote({ endNote }: StoredTurn['turn']): MessagePart[] {
  return endNote === null ? [] : [{ type: 'text', text: endNote }];
}

function assistantStatus(status: StoredTurn['turn']['status']): MessageView['status'] {
  if (unendedStatuses.some((one) => one === status)) return 'active';
  return status === 'completed' ? 'complete' : 'cut';
}

function viewUserPart(part: StoredPart, turnId: string, index: number): MessagePart {
  if (part.type === 'text') return part;
  const { name, path, mimeType, size } = part.file;
  const id = storedFileId(turnId, index);
  return { type: 'file', id, name, ...compact({ path }), mimeType, size, url: storedFileUrl(id) };
}
