import type { StepStopReason, Usage, AssistantPart } from '../../storage/shapes/stored-step.js';
import { serverCallOf } from '../../provider/anthropic/wire-blocks.js';
import type { JsonObject } from '../../platform/json.js';
import { shownStatus } from '../../tools/ledger.js';
import { serverResults } from '../state/server-calls.js';
import { assistantMessageId } from '../state/turn-row.js';
import type { StepRow, StoredTurn } from '../state/stored-turn.js';

export type MessagePart =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  | {
      type: 'file';
      /** What `attachments` of a later turn may name. */
      id: string;
      name: string;
      path?: string;
      mimeType: string;
      size: number;
      /** Where its bytes are, below the server's address. */
      url: string;
      /** The provider refused it: requests are made without it. */
      leftOut?: boolean;
    }
  | {
      type: 'tool';
      toolUseId: string;
      name: string;
      input: unknown;
      status: string;
      output: string | null;
      /** The provider refused the output: requests are made without it. */
      leftOut?: boolean;
    };

export interface NoticeView {
  kind: string;
  text: string;
  metadata: unknown;
  /** Whether the model got it, too. */
  seenByModel: boolean;
}

export interface StepView {
  stepId: string;
  /** From 1. */
  step: number;
  status: 'completed' | 'abort' | 'error';
  stopReason: StepStopReason;
  usage: Usage;
  /** ISO-8601. */
  startedAt: string;
  endedAt: string;
  parts: MessagePart[];
  /** Notices after this step and before the next, to the model or to the client. */
  notices: NoticeView[];
}

/** The model calls of a turn, in order: `GET /api/harness/turns/:id/steps`. Pure. */
export function viewSteps(stored: StoredTurn): StepView[] {
  return stored.steps.map((step) => ({
    stepId: `${assistantMessageId(stored.turn.id)}-step-${step.step}`,
    step: step.step,
    status: statuses[step.stopReason] ?? 'completed',
    stopReason: step.stopReason,
    usage: step.usage,
    startedAt: step.startedAt.toISOString(),
    endedAt: step.endedAt.toISOString(),
    parts: viewStepParts(step, stored),
    notices: stored.notices
      .filter((notice) => notice.level === 'step' && notice.afterStep === step.step)
      .map(viewNotice),
  }));
}

/** A notice with its facts. Pure. */
export function viewNotice({ kind, text, metadata, seenByModel }: NoticeView): NoticeView {
  return { kind, text, metadata, seenByModel };
}

const statuses: Partial<Record<StepStopReason, StepView['status']>> = {
  interrupted: 'abort',
  failed: 'error',
};

export function viewStepParts(step: StepRow, stored: StoredTurn): MessagePart[] {
  return step.parts.flatMap((part) => viewPart(part, stored));
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
      const status = call === undefined ? 'requested' : shownStatus(call.status);
      return [{ type: 'tool', toolUseId, name, input, status, output: call?.output ?? null }];
    }
    case 'opaque':
      return viewServerCall(part.block, stored);
    case 'redacted_thinking':
      return [];
  }
}

/** A tool of the provider's own is shown as every other: its call, with what it came to. */
function viewServerCall(block: JsonObject, { steps }: StoredTurn): MessagePart[] {
  const call = serverCallOf(block);
  if (call === undefined) return [];
  const { callId: toolUseId, name, input } = call;
  const result = serverResults(steps).get(toolUseId);
  const status = result?.status ?? 'unknown';
  return [{ type: 'tool', toolUseId, name, input, status, output: result?.output ?? null }];
}
