import { describe, expect, it } from '@jest/globals';
import { noUsage } from '../../events/turn-event.js';
import type { TurnTranscript } from '../state/attempt-context.js';
import { fitOutputs, elidedThrough } from './transcripts.js';

/** A turn whose first step used so many tokens and whose calls had these outputs. */
function turn(inputTokens: number, outputs: readonly string[]): TurnTranscript {
  const parts = outputs.map((_output, index) => ({
    type: 'tool_use' as const,
    id: `call_${index}`,
    name: 'look',
    input: {},
  }));
  const usage = { ...noUsage, inputTokens };
  return {
    turnId: 'turn_1',
    userParts: [],
    steps: [{ step: 1, parts, stopReason: 'tool_use', usage, sent: null }],
    results: new Map(
      outputs.map((output, index) => [`call_${index}`, { status: 'success' as const, output }]),
    ),
    notices: [],
    steered: [],
    status: 'running',
    endReason: null,
  };
}

const fit = (given: TurnTranscript): (string | null)[] =>
  [...fitOutputs(given, 1_000, (text) => text.length).results.values()].map(({ output }) => output);

describe('fitOutputs', () => {
  it('leaves outputs that fit the window', () => {
    const given = turn(100, ['x'.repeat(500), 'y'.repeat(300)]);
    expect(fitOutputs(given, 1_000, (text) => text.length)).toBe(given);
  });

  it('cuts the longest of a step to what is left, and says so', () => {
    const [short, long] = fit(turn(100, ['short', 'x'.repeat(5_000)]));
    expect(short).toBe('short');
    expect(long).toMatch(/^x{795}\n\[4205 characters cut: the model's window has no room/);
  });

  it('gives each of several long ones its share', () => {
    const cut = fit(turn(100, ['a'.repeat(4_000), 'b'.repeat(4_000)]));
    expect(cut.map((output) => /^(.)\1*/.exec(output ?? '')?.[0].length)).toEqual([400, 400]);
  });

  it('keeps a beginning of each where nothing is left', () => {
    const [only] = fit(turn(990, ['z'.repeat(1_000)]));
    expect(only).toMatch(/^z{50}\n/);
  });

  it('leaves a turn alone whose step was not counted', () => {
    const given = turn(0, ['x'.repeat(5_000)]);
    expect(fitOutputs(given, 1_000, (text) => text.length)).toBe(given);
  });
});

const steps = (...tokens: number[]) =>
  tokens.map((inputTokens, index) => ({ step: index + 1, usage: { ...noUsage, inputTokens } }));

it.each([
  [[], 0],
  [[10, 50, 99, 99, 99], 0],
  [[10, 50, 99, 100], 1],
  [[100, 100], 0],
  // An elided turn has headroom again; it is cut further when that is used up.
  [[10, 50, 80, 90, 100, 40, 60], 2],
  [[10, 50, 80, 90, 100, 40, 60, 100], 5],
])('of %j up to step %s', (tokens, through) => {
  expect(elidedThrough(steps(...tokens), 100)).toBe(through);
});
