import type {
  MessageDto,
  MessagePart,
  NoticeDto,
  StepDto,
} from '#src/turn/history/messages.dto.js';
import { toolStatuses } from '#src/storage/shapes/stored-step.js';
import { compact } from '#src/platform/compact.js';
import { isPlainObject } from '#src/platform/json.js';
import { reduceTurn, type OwnFrame } from './reduce-turn.js';
import {
  emptyTurn,
  type AttachedFile,
  type ConversationTurn,
  type TurnView,
  type ChatTurn,
} from './turn-view.js';
import type { StoredConversation } from './conversation-server.js';

/** The turns of a session from its stored messages, oldest first. Pure. */
export function turnsOfMessages(messages: readonly MessageDto[]): ConversationTurn[] {
  const turns = new Map<string, MessageDto[]>();
  for (const message of messages) {
    const own = turns.get(message.turnId);
    if (own === undefined) turns.set(message.turnId, [message]);
    else own.push(message);
  }
  return [...turns].map(([turnId, own]) => turnOf(turnId, own));
}

function turnOf(turnId: string, messages: readonly MessageDto[]): ConversationTurn {
  const [first] = messages;
  const user = messages.find(({ role, afterStep }) => role === 'user' && afterStep === undefined);
  const { createdAt = '', compacted, supersededBy, leftOut } = first ?? {};
  const { parts = [] } = user ?? {};
  return {
    turnId,
    user: {
      text: textOf(parts),
      files: parts.flatMap((part) => (part.type === 'file' ? [fileOf(part)] : [])),
      createdAt: user?.createdAt ?? createdAt,
    },
    view: viewOf(turnId, messages),
    ...(compacted === true ? { compacted } : {}),
    ...compact({ supersededBy, leftOut }),
  };
}

function textOf(parts: readonly MessagePart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
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

/** Builds the view with the same reducer as a live turn, from the frames that the stored messages stand for. */
function viewOf(turnId: string, messages: readonly MessageDto[]): TurnView {
  const view = framesOf(messages).reduce(reduceTurn, emptyTurn(turnId, 'queued'));
  const isComplete = messages.some((one) => one.role === 'assistant' && one.status === 'complete');
  return isComplete ? { ...view, outcome: 'completed' } : view;
}

/** The frames of a stored turn. Citations, approvals and times are missing: they are not stored. */
function framesOf(messages: readonly MessageDto[]): OwnFrame[] {
  const asides = messages.flatMap(({ notice }) =>
    notice === undefined ? [] : [noticeFrame(notice, 'message')],
  );
  const reply = messages.find(({ role }) => role === 'assistant');
  const steps = reply?.steps ?? [];
  const last = steps.at(-1)?.step ?? 0;
  const joinedAfter = (isAfter: (step: number) => boolean): OwnFrame[] =>
    messages.flatMap(({ messageId, afterStep, parts }) =>
      afterStep === undefined || !isAfter(afterStep)
        ? []
        : [{ event: 'message:joined', data: { messageId, afterStep, text: textOf(parts) } }],
    );
  return [
    ...asides,
    ...joinedAfter((step) => step < (steps[0]?.step ?? 0)),
    ...steps.flatMap((one) => [...framesOfStep(one), ...joinedAfter((step) => step === one.step)]),
    ...joinedAfter((step) => step > last),
    ...(reply === undefined ? [] : endFrames(reply, last)),
  ];
}

function framesOfStep({ step, parts, notices, stopReason, usage }: StepDto): OwnFrame[] {
  return [
    { event: 'step:start', data: { step } },
    ...parts.flatMap((part) => framesOfPart(part, step)),
    { event: 'step:end', data: { step, stopReason, usage } },
    ...notices.map((notice) => noticeFrame(notice, 'step')),
  ];
}

function framesOfPart(part: MessagePart, step: number): OwnFrame[] {
  switch (part.type) {
    case 'text':
      return [{ event: 'chat:delta', data: { step, text: part.text } }];
    case 'thinking':
      return [{ event: 'thinking:delta', data: { step, text: part.text } }];
    case 'file':
      return [];
    case 'tool': {
      const { toolUseId, name, input, output, files } = part;
      const status = toolStatuses.find((one) => one === part.status);
      const requested: OwnFrame[] = [
        { event: 'tool:request', data: { toolUseId, name, step } },
        { event: 'tool:args', data: { toolUseId, json: JSON.stringify(input) } },
      ];
      if (status === undefined) return requested;
      const end = compact({ output: output ?? undefined, files });
      const ended = { toolUseId, name, status, ...end };
      return [
        ...requested,
        { event: 'tool:start', data: { toolUseId, name, input } },
        { event: 'tool:result', data: ended },
      ];
    }
  }
}

function noticeFrame(notice: NoticeDto, level: 'message' | 'step'): OwnFrame {
  const { kind, text, metadata, seenByModel } = notice;
  const facts = isPlainObject(metadata) ? { metadata } : {};
  return { event: 'system:notice', data: { kind, level, text, seenByModel, ...facts } };
}

/** The end of a turn. If a limit ended it, its closing note comes first: that is in no step. */
function endFrames({ status, parts, steps = [] }: MessageDto, step: number): OwnFrame[] {
  const note = parts.length > steps.flatMap((one) => one.parts).length ? parts.at(-1) : undefined;
  return [
    ...(note?.type === 'text'
      ? [{ event: 'chat:delta' as const, data: { step, text: note.text } }]
      : []),
    ...(status === 'active' ? [] : [{ event: 'process:exit' as const, data: { exitCode: 0 } }]),
  ];
}

const activeStatuses: readonly string[] = ['held', 'queued', 'running', 'waiting'];

/** Whether the status is that of a turn that has not ended. */
export function isActive(status: string): boolean {
  return activeStatuses.includes(status);
}

/**
 * The stored turns, merged into the shown ones: turns that the page follows stay as they are, and
 * submissions under way stay at the end. Pure.
 */
export function mergeStored(
  shown: readonly ChatTurn[],
  { messages, turns }: StoredConversation,
  followed: ReadonlySet<string>,
): readonly ChatTurn[] {
  const listed = new Map(turns.map((turn) => [turn.turnId, turn]));
  const stored = turnsOfMessages(messages).map((turn): ChatTurn => {
    const known = shown.find(({ turnId }) => turnId === turn.turnId);
    // A list that was requested earlier may not contain the turn that supersedes this one.
    const { leftOut } = turn;
    const position = compact({ supersededBy: turn.supersededBy ?? known?.supersededBy, leftOut });
    if (known !== undefined && followed.has(turn.turnId)) {
      const { leftOut: _before, ...rest } = known;
      return { ...rest, ...position };
    }
    const { status, model } = listed.get(turn.turnId) ?? {};
    const isOver = status === undefined || !isActive(status);
    const view = { ...turn.view, ...(model === undefined ? {} : { model }) };
    return { ...turn, ...position, view: isOver ? { ...view, phase: 'ended' } : view };
  });
  const ids = new Set(stored.map(({ turnId }) => turnId));
  return [...stored, ...shown.filter(({ turnId }) => !ids.has(turnId))];
}
