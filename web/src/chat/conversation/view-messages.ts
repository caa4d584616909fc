import type {
  MessageDto,
  MessagePart,
  NoticeDto,
  StepDto,
} from '../../../../src/turn/history/messages.dto.js';
import { compact } from '../../../../src/platform/compact.js';
import { isPlainObject } from '../../../../src/platform/json.js';
import { allTokens } from '../../app/all-tokens.js';
import { addUsage } from './reduce-tool.js';
import {
  emptyTurn,
  type AttachedFile,
  type Item,
  type ToolItem,
  type TurnView,
} from './turn-view.js';

/** A turn of a conversation: the user's message, and the view of the reply. */
export interface ConversationTurn {
  turnId: string;
  user: { text: string; files: readonly AttachedFile[]; createdAt: string };
  view: TurnView;
  /** Whether the model gets a summary in place of the turn. */
  compacted?: boolean;
  /** The turn that took its place, or that of a turn before it. Absent: it is in the conversation. */
  supersededBy?: string;
  /** Why the model is not sent the turn. Absent: it is. */
  leftOut?: NonNullable<MessageDto['leftOut']>;
}

/** The turns of a session from its stored messages, oldest first. Pure. */
export function turnsOfMessages(messages: readonly MessageDto[]): ConversationTurn[] {
  const turns = new Map<string, ConversationTurn>();
  for (const message of messages) {
    const turn = turns.get(message.turnId) ?? newTurn(message);
    turns.set(message.turnId, addMessage(turn, message));
  }
  return [...turns.values()];
}

function newTurn({
  turnId,
  createdAt,
  compacted,
  supersededBy,
  leftOut,
}: MessageDto): ConversationTurn {
  return {
    turnId,
    user: { text: '', files: [], createdAt },
    view: emptyTurn(turnId, 'queued'),
    ...(compacted === true ? { compacted } : {}),
    ...compact({ supersededBy, leftOut }),
  };
}

function addMessage(turn: ConversationTurn, message: MessageDto): ConversationTurn {
  if (message.role === 'assistant') return { ...turn, view: addSteps(turn.view, message) };
  const text = message.parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n\n');
  const { notice, messageId } = message;
  if (notice !== undefined) {
    return { ...turn, view: add(turn.view, [noticeOf(notice, messageId)]) };
  }
  if (message.afterStep !== undefined) {
    return { ...turn, view: add(turn.view, [{ kind: 'steered', key: message.messageId, text }]) };
  }
  const files = message.parts.flatMap((part) => (part.type === 'file' ? [fileOf(part)] : []));
  return { ...turn, user: { text, files, createdAt: message.createdAt } };
}

function fileOf({
  id,
  name,
  mimeType,
  size,
  leftOut,
}: Extract<MessagePart, { type: 'file' }>): AttachedFile {
  return compact({ id, name, mimeType, size, leftOut });
}

function noticeOf({ kind, text, metadata, seenByModel }: NoticeDto, key: string): Item {
  const facts = isPlainObject(metadata) ? metadata : {};
  return { kind: 'notice', key, noticeKind: kind, text, metadata: facts, seenByModel };
}

function add(view: TurnView, items: readonly Item[]): TurnView {
  return { ...view, items: [...view.items, ...items] };
}

function addSteps(view: TurnView, { status, steps = [], parts }: MessageDto): TurnView {
  const items = steps.flatMap((step) => itemsOf(step));
  const usage = steps.map((step) => step.usage).reduce(addUsage, noUsage);
  // A failed model call has no usage.
  const last = steps.findLast((step) => allTokens(step.usage) > 0);
  return {
    ...add(view, [...items, ...endNote(steps, parts)]),
    phase: status === 'active' ? 'running' : 'ended',
    step: steps.at(-1)?.step ?? 0,
    stepsDone: steps.length,
    usage,
    ...(last === undefined ? {} : { contextTokens: allTokens(last.usage) }),
    ...(status === 'complete' ? { outcome: 'completed' as const } : {}),
  };
}

/** The closing note of a turn that a limit ended, which is in the message and in no step. */
function endNote(steps: readonly StepDto[], parts: readonly MessagePart[]): Item[] {
  const last = parts.at(-1);
  const inSteps = steps.reduce((count, step) => count + step.parts.length, 0);
  if (parts.length <= inSteps || last?.type !== 'text') return [];
  const step = steps.at(-1)?.step ?? 0;
  return [{ kind: 'text', key: 'end-note', step, text: last.text, isOpen: false }];
}

function itemsOf({ step, parts, notices }: StepDto): Item[] {
  const shown = joinTexts(parts).flatMap((part, index): Item[] => {
    const key = `${part.type}-${step}-${index}`;
    switch (part.type) {
      case 'text':
      case 'thinking':
        return [{ kind: part.type, key, step, text: part.text, isOpen: false }];
      case 'tool':
        return [toolOf(part, step)];
      case 'file':
        return [];
    }
  });
  const posted = notices.map((notice, index) => noticeOf(notice, `notice-${step}-${index}`));
  return [...shown, ...posted];
}

/**
 * Joins adjacent text parts, as the stream does: citations split a reply within its sentences.
 */
function joinTexts(parts: readonly MessagePart[]): MessagePart[] {
  const joined: MessagePart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === 'text' && last?.type === 'text') {
      joined.splice(-1, 1, { ...last, text: last.text + part.text });
    } else joined.push(part);
  }
  return joined;
}

const ends: readonly string[] = ['success', 'error', 'denied', 'unknown'];

function toolOf(part: Extract<MessagePart, { type: 'tool' }>, step: number): ToolItem {
  const { toolUseId: key, name, input, status, output } = part;
  const shown = ends.includes(status) ? (status as ToolItem['status']) : 'requested';
  return {
    kind: 'tool',
    key,
    step,
    name,
    input,
    json: JSON.stringify(input),
    status: shown,
    ...(output === null ? {} : { output }),
  };
}

const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
