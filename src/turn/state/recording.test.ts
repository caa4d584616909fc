import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { JsonObject } from '../../platform/json.js';
import type { ToolUse } from './attempt.js';
import { NOT_RECORDED, Recording } from './recording.js';

const call = (id: string, name: string, input: JsonObject = {}): ToolUse => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const step = (...parts: ToolUse[]) => ({
  parts: [{ type: 'text' as const, text: 'So' }, ...parts],
});
const row = (callId: string, output: string | null = `of ${callId}`) => ({
  callId,
  status: output === null ? ('claimed' as const) : ('success' as const),
  output,
  files: null,
});

describe('Recording', () => {
  it('answers the same tool with the same input, in whatever order its keys are', () => {
    const recording = new Recording([step(call('a', 'read', { path: 'x', limit: 2 }))], [row('a')]);
    const same = call('b', 'read', { limit: 2, path: 'x' });
    expect(recording.answer([step(same)], same)).toEqual({
      status: 'success',
      output: 'of a',
      durationMs: 0,
    });
  });

  it('answers the second of equal calls with the second result, whatever is between them', () => {
    const recorded = [step(call('a1', 'read'), call('b', 'glob')), step(call('a2', 'read'))];
    const recording = new Recording(recorded, [row('a1'), row('b'), row('a2')]);
    const [one, two, three] = [call('1', 'read'), call('2', 'read'), call('3', 'read')] as const;
    const steps = [step(one, two), step(call('4', 'bash'), three)];
    const outputs = [one, two, three].map((each) => recording.find(steps, each)?.output);
    expect(outputs).toEqual(['of a1', 'of a2', undefined]);
  });

  it.each([
    ['another input', call('b', 'read', { path: 'y' })],
    ['another tool', call('b', 'glob', { path: 'x' })],
  ])('knows no result of %s', (_name, other) => {
    const recording = new Recording([step(call('a', 'read', { path: 'x' }))], [row('a')]);
    const { status, output } = recording.answer([step(other)], other);
    expect([status, output.startsWith(`${NOT_RECORDED}: `)]).toEqual(['error', true]);
    expect(output).toContain(other.name);
  });

  it('knows no result of a call that came to none', () => {
    const recorded = [step(call('a', 'bash'), call('b', 'bash'))];
    const recording = new Recording(recorded, [row('a', null)]);
    const again = [call('1', 'bash'), call('2', 'bash')];
    expect(again.map((each) => recording.find([step(...again)], each))).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('keeps denials: they are what the model was told', () => {
    const denied = { callId: 'a', status: 'refused' as const, output: 'not run', files: null };
    const recording = new Recording([step(call('a', 'bash'))], [denied]);
    const same = call('1', 'bash');
    expect(recording.answer([step(same)], same)).toMatchObject({ status: 'refused' });
  });

  const anyCalls = fc.array(
    fc.record({ name: fc.constantFrom('read', 'bash'), n: fc.integer({ min: 0, max: 3 }) }),
    { minLength: 1, maxLength: 20 },
  );
  /** Calls in steps of any sizes. */
  const inSteps = (calls: readonly ToolUse[], sizes: readonly number[]) => {
    const rest = [...calls];
    const steps = sizes.map((size) => step(...rest.splice(0, size)));
    return [...steps, step(...rest)];
  };
  const sizes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 6 });

  it('has every result for a turn that asks for the same, however it is cut into steps', () => {
    fc.assert(
      fc.property(anyCalls, sizes, sizes, (asked, cut, otherCut) => {
        const calls = (prefix: string) =>
          asked.map(({ name, n }, index) => call(`${prefix}${index}`, name, { n }));
        const [recorded, again] = [calls('a'), calls('b')];
        const recording = new Recording(
          inSteps(recorded, cut),
          recorded.map(({ id }) => row(id)),
        );
        const steps = inSteps(again, otherCut);
        const outputs = again.map((each) => recording.find(steps, each)?.output);
        expect(outputs).toEqual(recorded.map(({ id }) => `of ${id}`));
      }),
    );
  });

  it('gives no result twice, whatever is asked for', () => {
    fc.assert(
      fc.property(anyCalls, anyCalls, (first, second) => {
        const recorded = first.map(({ name, n }, index) => call(`a${index}`, name, { n }));
        const recording = new Recording(
          [step(...recorded)],
          recorded.map(({ id }) => row(id)),
        );
        const asked = second.map(({ name, n }, index) => call(`b${index}`, name, { n }));
        const given = asked.flatMap((each) => recording.find([step(...asked)], each)?.output ?? []);
        expect(new Set(given).size).toBe(given.length);
      }),
    );
  });
});
