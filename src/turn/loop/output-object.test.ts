import { describe, expect, it } from '@jest/globals';
import { noUsage } from '../../events/turn-event.js';
import { compileInputCheck } from '../../platform/json-schema/check-input.js';
import type { AssistantPart, StepStopReason } from '../../storage/shapes/stored-step.js';
import type { FinishedStep, Progress } from '../state/attempt.js';
import { findOutput, repairMark } from './output-object.js';

const compiled = compileInputCheck({ type: 'object', required: ['a'] });
const check = async (value: unknown) => compiled(value);
const text = (value: string): AssistantPart => ({ type: 'text', text: value });
const search: AssistantPart = { type: 'opaque', block: { type: 'web_search_tool_result' } };

const steps = (...replies: (string | [StepStopReason, ...AssistantPart[]])[]): FinishedStep[] =>
  replies.map((reply, index) => {
    const [stopReason, ...parts] =
      typeof reply === 'string' ? (['end_turn', text(reply)] as const) : reply;
    return { step: index + 1, parts, stopReason, usage: noUsage, sent: null, endedAt: new Date(0) };
  });

const asked = (...numbers: number[]): Progress['notices'] =>
  numbers.map((step) => ({
    mark: repairMark(step),
    kind: 'output-repair',
    level: 'step',
    text: '',
    metadata: {},
    seenByModel: true,
    afterStep: step,
    position: 0,
  }));

const find = (given: FinishedStep[], notices: Progress['notices'] = [], repairs = 1) =>
  findOutput({ steps: given, notices }, { repairs, check });

describe('findOutput', () => {
  it('is the last reply’s object', async () => {
    expect(await find(steps('{"a":1}'))).toEqual({ type: 'valid', output: { a: 1 } });
    expect(await find(steps('x', '{"a":2}'), asked(1))).toEqual({
      type: 'valid',
      output: { a: 2 },
    });
    const searched = steps(['end_turn', text('I look.'), search, text('{"a":'), text('3}')]);
    expect(await find(searched)).toEqual({ type: 'valid', output: { a: 3 } });
  });

  it('asks again as often as it may, once for each reply', async () => {
    expect(await find(steps('{}'))).toEqual({ type: 'missed', faults: 'a is required' });
    expect(await find(steps('{}'), asked(1))).toEqual({ type: 'asked', faults: 'a is required' });
    expect(await find(steps('{}', '{}'), asked(1))).toMatchObject({ type: 'spent' });
    expect(await find(steps('{}', '{}'), asked(1), 2)).toMatchObject({ type: 'missed' });
    expect(await find(steps('{}', '{}'), asked(1, 2), 2)).toMatchObject({ type: 'asked' });
    expect(await find(steps('{}'), [], 0)).toMatchObject({ type: 'spent' });
  });

  it.each<StepStopReason>([
    ...(['tool_use', 'max_tokens', 'pause_turn', 'refusal'] as const),
    ...(['context_window', 'interrupted', 'failed'] as const),
  ])('is nothing after %s, whatever an earlier reply was', async (stopReason) => {
    expect(await find(steps('{"a":1}', [stopReason, text('{"a":2}')]))).toBeUndefined();
  });

  it('is never an object of an earlier reply', async () => {
    expect(await find(steps('{"a":1}', 'No.'))).toMatchObject({ type: 'missed' });
    expect(await find(steps('{"a":1}', ['end_turn']))).toEqual({
      type: 'missed',
      faults: 'the reply is empty',
    });
    expect(await find([])).toBeUndefined();
  });
});
