import type { AssistantPart } from '../../../src/storage/shapes/stored-step.js';
import type { ModelMessage } from '../../../src/provider/model-types.js';
import { noUsage } from '../../../src/events/turn-event.js';
import type { TranscriptStep, TurnTranscript } from '../../../src/turn/state/attempt-context.js';
import { buildMessages } from '../../../src/turn/prompt/build-messages.js';

export const call = (id: string): AssistantPart => ({
  type: 'tool_use',
  id,
  name: 'read',
  input: {},
});
export const textPart = (text: string): AssistantPart => ({ type: 'text', text });

export type GivenStep = Partial<TranscriptStep> & { parts: AssistantPart[] };
export type Given = Partial<Omit<TurnTranscript, 'steps'>> & { steps?: GivenStep[] };

const stepDefaults = { stopReason: 'end_turn', usage: noUsage, sent: null } as const;

/** The transcript of a turn, as a request has it: one that runs and has no step, where nothing else is given. */
export function turn({ steps = [], ...more }: Given = {}): TurnTranscript {
  return {
    turnId: 'turn_1',
    userParts: [{ type: 'text', text: 'Hello' }],
    steps: steps.map((step, index) => ({ ...stepDefaults, step: index + 1, ...step })),
    results: new Map(),
    notices: [],
    steered: [],
    status: 'running',
    endReason: null,
    ...more,
  };
}

/** The messages of a request with these turns. */
export const build = (
  turns: readonly TurnTranscript[],
  takesSystemMessages = true,
): readonly ModelMessage[] =>
  buildMessages(turns, {
    model: { takesSystemMessages, bindsThinking: false, toolSearch: true },
    system: '',
    tools: [],
  }).messages;

export const success = { status: 'success' as const, output: 'done' };

export const notice = (afterStep: number, text: string, seenByModel = true) => ({
  afterStep,
  mark: text,
  kind: 'context-usage',
  text,
  seenByModel,
});
