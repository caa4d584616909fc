import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { TurnEvent, TurnEventBody } from '../../events/turn-event.js';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import { followOutput, parsePartial, type OutputProgress } from './output-progress.js';

const started: Extract<TurnEventBody, { type: 'turn.started' }> = {
  type: 'turn.started',
  sessionId: 's',
  messageId: 'm',
  agent: 'a',
  model: 'x',
  providerSessionId: 'p',
  resumed: false,
  contextWindow: 200_000,
  maxTurns: 50,
  hasOutput: true,
};
const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const step = (number: number): TurnEventBody => ({ type: 'step.started', step: number });
const ended = (number: number): TurnEventBody => ({
  type: 'step.ended',
  step: number,
  stopReason: 'end_turn',
  usage,
});
const delta = (text: string): TurnEventBody => ({ type: 'text.delta', step: 1, text });

/** What a dialect is told, by events that are `gapMs` apart. */
function follow(bodies: readonly TurnEventBody[], gapMs: number) {
  let progress: OutputProgress;
  return bodies.flatMap((body, index) => {
    const at = new Date(index * gapMs + 1_000).toISOString();
    const event: TurnEvent = { ...body, attempt: 1, seq: index + 1, at };
    const followed = followOutput(progress, event);
    ({ progress } = followed);
    return followed.partial === undefined ? [] : [{ at: index * gapMs, ...followed.partial }];
  });
}

/** Whether a value may become another as more of its text comes. */
function isPrefix(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string' && typeof whole === 'string') return whole.startsWith(part);
  if (Array.isArray(part) && Array.isArray(whole)) {
    return part.length <= whole.length && part.every((item, at) => isPrefix(item, whole[at]));
  }
  if (isPlainObject(part) && isPlainObject(whole)) {
    return Object.entries(part).every(
      ([key, item]) => Object.hasOwn(whole, key) && isPrefix(item, whole[key]),
    );
  }
  return Object.is(part, whole);
}

const objects = fc
  .dictionary(
    fc.string({ unit: 'binary' }).filter((key) => key !== '__proto__'),
    fc.jsonValue(),
  )
  .map((value) => JSON.stringify(value))
  .filter((text) => !text.includes('__proto__'));

describe('parsePartial', () => {
  it('is a prefix of the object, wherever its text is cut', () => {
    fc.assert(
      fc.property(objects, fc.nat(), fc.constantFrom(...wrappings), (text, cut, [head, tail]) => {
        const whole: unknown = JSON.parse(text);
        const sent = head + text + tail;
        const partial = parsePartial(sent.slice(0, cut % (sent.length + 1)));
        if (partial !== undefined) expect(isPrefix(partial, whole)).toBe(true);
        expect(parsePartial(sent)).toEqual(whole);
      }),
    );
  });

  const wrappings: [string, string][] = [
    ['', ''],
    [' \n', '\n'],
    ['```json\n', '\n```'],
  ];

  it.each(['', 'Here', '[1', '"a', `{"a":${'['.repeat(100_000)}`])('is nothing for %#', (text) => {
    expect(parsePartial(text)).toBeUndefined();
  });

  it('never ends a text in half a character', () => {
    expect(parsePartial(String.raw`{"a":"x\ud83d`)).toEqual({ a: 'x' });
    expect(parsePartial('{"a":"x\ud83d')).toEqual({ a: 'x' });
  });
});

describe('followOutput', () => {
  it('tells at most four a second, and the whole at the end of the step', () => {
    const text = JSON.stringify({ items: Array.from({ length: 400 }, (_, index) => index) });
    const deltas = Array.from(text, delta);
    const progress = follow([started, step(1), ...deltas, ended(1)], 10);
    for (const [index, { at }] of progress.slice(1, -1).entries()) {
      expect(at - (progress[index]?.at ?? 0)).toBeGreaterThanOrEqual(250);
    }
    expect(progress.length).toBeGreaterThan(10);
    expect(progress.at(-1)?.output).toEqual(JSON.parse(text));
  });

  it('tells the same of each text, however its deltas were merged, once the step has ended', () => {
    fc.assert(
      fc.property(objects, fc.array(fc.nat(50)), (text, sizes) => {
        let rest = text;
        const pieces = [...sizes, text.length].flatMap((size) => {
          const piece = rest.slice(0, size);
          rest = rest.slice(size);
          return piece === '' ? [] : [delta(piece)];
        });
        const last = (bodies: TurnEventBody[]): JsonObject | undefined =>
          follow([started, step(1), ...bodies, ended(1)], 40).at(-1)?.output;
        expect(last(pieces)).toEqual(last([delta(text)]));
      }),
    );
  });

  it('begins anew with a step, after a tool and where a step was discarded', () => {
    const tool: TurnEventBody = {
      type: 'tool.requested',
      step: 1,
      callId: 'c',
      name: 'web_search',
      by: 'provider',
    };
    const progress = follow(
      [
        started,
        step(1),
        delta('{"a":1,'),
        tool,
        delta('{"b":2,'),
        ended(1),
        step(2),
        delta('{"c":3,'),
        { type: 'step.discarded', step: 2 },
        delta('late'),
        step(2),
        delta('{"d":4}'),
        ended(2),
        delta('a note'),
      ],
      300,
    );
    expect(progress.map(({ step: of, output }) => [of, output])).toEqual([
      [1, { a: 1 }],
      [1, { b: 2 }],
      [2, { c: 3 }],
      [2, {}],
      [2, { d: 4 }],
    ]);
  });

  it('follows nothing of a turn that ends with text', () => {
    const { hasOutput: _hasOutput, ...plain } = started;
    expect(follow([plain, step(1), delta('{"a":1}'), ended(1)], 300)).toEqual([]);
  });
});
