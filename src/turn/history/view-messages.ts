import { storedFileId, storedFileUrl, viewOutputFiles } from '../../attachments/stored-files.js';
import type {
  StoredPart,
  StepStopReason,
  AssistantPart,
} from '../../storage/shapes/stored-step.js';
import type { StoredNotice } from '../../governance/notices/trigger.js';
import { compact } from '../../platform/compact.js';
import { unendedStatuses } from '../../storage/shapes/stored-turn.js';
import { assistantMessageId } from '../state/turn-row.js';
import { callKey, partKey } from '../prompt/message-list.js';
import type { StoredTurn, StepRow } from '../state/stored-turn.js';
import { serverCallOf } from '../../provider/face.js';
import type { JsonObject } from '../../platform/json.js';
import { shownStatus } from '../../tools/ledger.js';
import { serverResults } from '../state/server-calls.js';
import type { MessageDto, MessagePart, NoticeDto, StepDto } from './messages.dto.js';

/**
 * A session's messages, oldest first: `GET /api/harness/sessions/:id/messages`. Pure.
 *
 * @param leftOut keys of what requests are sent without: see `RequestPrefix`.
 */
export function viewMessages(
  turns: readonly StoredTurn[],
  leftOut: readonly string[] = [],
): MessageDto[] {
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

function viewTurnMessages(stored: StoredTurn): MessageDto[] {
  const { turn, steps } = stored;
  const user: MessageDto = {
    messageId: stored.userMessageId,
    turnId: turn.id,
    role: 'user',
    status: 'complete',
    createdAt: turn.createdAt.toISOString(),
    parts: stored.userParts.map((part, index) => viewUserPart(part, turn.id, index)),
  };
  const asked = [user, ...stored.notices.filter(isOwnMessage).map(viewNoticeMessage)];
  asked.push(...stored.steered.map((message) => viewSteered(turn, message)));
  const status = assistantStatus(turn.status);
  // The answer of a turn that runs is listed before it has a word: a page that was loaded anew follows its turn.
  if (steps.length === 0 && status !== 'active') return asked;
  const assistant: MessageDto = {
    messageId: assistantMessageId(turn.id),
    turnId: turn.id,
    role: 'assistant',
    status,
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
): MessageDto {
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

function viewNoticeMessage(notice: StoredTurn['notices'][number]): MessageDto {
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

function assistantStatus(status: StoredTurn['turn']['status']): MessageDto['status'] {
  if (unendedStatuses.some((one) => one === status)) return 'active';
  return status === 'completed' ? 'complete' : 'cut';
}

function viewUserPart(part: StoredPart, turnId: string, index: number): MessagePart {
  if (part.type === 'text') return part;
  const { name, path, mimeType, size } = part.file;
  const id = storedFileId(turnId, index);
  return { type: 'file', id, name, ...compact({ path }), mimeType, size, url: storedFileUrl(id) };
}

/** The model calls of a turn, in order: `GET /api/harness/turns/:id/steps`. Pure. */
export function viewSteps(stored: StoredTurn): StepDto[] {
  return stored.steps.map((step) => ({
    stepId: `${assistantMessageId(stored.turn.id)}-step-${step.step}`,
    step: step.step,
    status: statuses[step.stopReason] ?? 'completed',
    stopReason: step.stopReason,
    usage: step.usage,
    ...compact({ model: step.model ?? undefined }),
    startedAt: step.startedAt.toISOString(),
    endedAt: step.endedAt.toISOString(),
    parts: viewStepParts(step, stored),
    notices: stored.notices
      .filter((notice) => notice.level === 'step' && notice.afterStep === step.step)
      .map(viewNotice),
  }));
}

/** A notice with its facts. Pure. */
function viewNotice({ kind, text, metadata, seenByModel }: NoticeDto): NoticeDto {
  return { kind, text, metadata, seenByModel };
}

const statuses: Partial<Record<StepStopReason, StepDto['status']>> = {
  interrupted: 'abort',
  failed: 'error',
};

function viewStepParts(step: StepRow, stored: StoredTurn): MessagePart[] {
  return step.parts.flatMap((part) => viewPart(part, stored));
}

function viewPart(part: AssistantPart, stored: StoredTurn): MessagePart[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'thinking':
      // Of some makers it is for the maker alone.
      if (part.thinking === '' && part.meta !== undefined) return [];
      return [{ type: 'thinking', text: part.thinking }];
    case 'tool_use': {
      const call = stored.calls.find((row) => row.callId === part.id);
      const { id: toolUseId, name, input } = part;
      const status = call === undefined ? 'requested' : shownStatus(call.status);
      const files = viewOutputFiles(stored.turn.id, call?.files);
      const output = call?.output ?? null;
      return [{ type: 'tool', toolUseId, name, input, status, output, ...compact({ files }) }];
    }
    case 'opaque':
      return viewServerCall(part.block, stored);
    case 'redacted_thinking':
      return [];
  }
}

/** A tool of the provider's own is shown as every other: its call, with its result. */
function viewServerCall(block: JsonObject, { steps }: StoredTurn): MessagePart[] {
  const call = serverCallOf(block);
  if (call === undefined) return [];
  const { callId: toolUseId, name, input } = call;
  const result = serverResults(steps).get(toolUseId);
  const status = result?.status ?? 'unknown';
  return [{ type: 'tool', toolUseId, name, input, status, output: result?.output ?? null }];
}
