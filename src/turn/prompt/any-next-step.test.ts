import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { noUsage } from '../../events/turn-event.js';
import type { ModelMessage } from '../../provider/model-types.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import type { TranscriptStep, TurnTranscript } from '../state/attempt-context.js';
import type { CallResult } from '../state/attempt.js';
import { buildMessages, type PromptFrame } from './build-messages.js';

const call = (id: string): AssistantPart => ({ type: 'tool_use', id, name: 'read', input: {} });
const textPart = (text: string): AssistantPart => ({ type: 'text', text });
const stepDefaults = { stopReason: 'end_turn', usage: noUsage, sent: null } as const;
const success = { status: 'success' as const, output: 'done' };

const frame: PromptFrame = {
  model: { takesSystemMessages: true, bindsThinking: true, toolSearch: true },
  system: '',
  tools: [],
};

const running: TurnTranscript = {
  turnId: 'turn_2',
  userParts: [{ type: 'text', text: 'Hello' }],
  steps: [],
  results: new Map(),
  notices: [],
  steered: [],
  status: 'running',
  endReason: null,
};

const earlier: TurnTranscript[] = [
  { ...running, turnId: 'turn_1', steps: [{ ...stepDefaults, step: 1, parts: [textPart('Hi')] }] },
];

const changes = [
  'step',
  'step',
  'thought',
  'pause',
  'server-tool',
  'refusal',
  'notice',
  'steered',
  'late-result',
  'elided',
  'shown',
  'files',
  'left-out',
  'other-message',
  'ended',
] as const;

it('adds to the messages of the step before, and makes none of them anew', () => {
  const steps: TranscriptStep[] = [];
  const results = new Map<string, CallResult>();
  let sent: readonly ModelMessage[] = [];
  for (let at = 1; at <= 5; at += 1) {
    const turn = { ...running, steps: [...steps], results };
    const { messages } = buildMessages([...earlier, turn], frame);
    for (const [index, message] of sent.entries()) expect(messages[index]).toBe(message);
    // What opens the turn is built for its first request, and with its first step.
    if (at > 1) sent = messages;
    steps.push({ ...stepDefaults, step: at, parts: [call(`c${at}`)] });
    results.set(`c${at}`, success);
  }
});

it('builds a turn that goes on in any way as a worker that knows nothing of it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...changes), { maxLength: 12 }), (names) => {
      let now: Changed = { turn: { ...running, results: new Map() }, leftOut: [] };
      for (const name of names) {
        now = { ...now, ...change(now.turn, name) };
        const turns = [...earlier, now.turn];
        const { messages, sent } = buildMessages(turns, { ...frame, leftOut: now.leftOut });
        const cold = buildMessages(structuredClone(turns), { ...frame, leftOut: now.leftOut });
        expect({ messages, sent }).toEqual({ messages: cold.messages, sent: cold.sent });
      }
    }),
    { numRuns: 500 },
  );
});

interface Changed {
  turn: TurnTranscript;
  leftOut: string[];
}

/** A turn after one of the things that may happen to it between two requests. */
function change(
  before: TurnTranscript,
  name: (typeof changes)[number],
): Partial<Changed> & Pick<Changed, 'turn'> {
  const { steps, results, notices, steered } = before;
  const afterStep = steps.at(-1)?.step ?? 0;
  const [first = ''] = results.keys();
  const withStep = (...more: AssistantPart[]): TurnTranscript => {
    const id = `call_${afterStep + 1}`;
    const step = { ...stepDefaults, step: afterStep + 1, parts: [...more, call(id)] };
    const isAnswered = afterStep % 2 === 0;
    const all = isAnswered ? new Map(results).set(id, success) : results;
    return { ...before, steps: [...steps, step], results: all };
  };
  const withResult = (id: string, more: object): TurnTranscript => ({
    ...before,
    results: new Map(results).set(id, { ...success, ...results.get(id), ...more }),
  });
  const paused = (
    parts: AssistantPart[],
    stopReason: 'pause_turn' | 'refusal',
  ): TurnTranscript => ({
    ...before,
    steps: [...steps, { ...stepDefaults, step: afterStep + 1, parts, stopReason }],
  });
  const search = { type: 'server_tool_use', id: `srv_${afterStep}`, name: 'web_search', input: {} };
  switch (name) {
    case 'step':
      return { turn: withStep(textPart(`step ${afterStep + 1}`)) };
    case 'thought':
      return { turn: withStep({ type: 'thinking', thinking: 'Hm.', signature: 's' }) };
    case 'pause':
      return { turn: paused([textPart('One')], 'pause_turn') };
    case 'server-tool':
      return { turn: paused([{ type: 'opaque', block: search }], 'pause_turn') };
    case 'refusal':
      return { turn: paused([textPart('No')], 'refusal') };
    case 'notice': {
      const notice = { afterStep, mark: 'm', kind: 'note', text: 'Note.', seenByModel: true };
      return { turn: { ...before, notices: [...notices, notice] } };
    }
    case 'steered':
      return { turn: { ...before, steered: [...steered, { afterStep, text: 'And this' }] } };
    case 'late-result':
      // As in an attempt, whose results come into one map.
      if (results instanceof Map) results.set(`call_${afterStep}`, success);
      return { turn: { ...before } };
    case 'elided':
      return { turn: withResult(first, { output: 'short' }) };
    case 'shown':
      return { turn: withResult(first, { shown: [{ type: 'text', text: 'A file' }] }) };
    case 'files':
      return { turn: { ...before, steps: [...steps], userParts: [...before.userParts] } };
    case 'left-out':
      return { turn: before, leftOut: [`turn_2/call/${first}`] };
    case 'other-message':
      return { turn: { ...before, userParts: [{ type: 'text', text: 'Other' }] } };
    case 'ended':
      return { turn: { ...before, status: 'interrupted' } };
  }
}
