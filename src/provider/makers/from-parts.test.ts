import { describe, expect, it } from '@jest/globals';
import { INVALID_JSON, USE_TOOL, type ModelEvent } from '../model-types.js';
import { readParts, type PartReading } from './from-parts.js';
import type { StreamPart } from './specification.js';

const finish = (unified: string, raw?: string, usage: object = {}): StreamPart => ({
  type: 'finish',
  finishReason: { unified, raw },
  usage,
});

function read(parts: readonly StreamPart[], more: Partial<PartReading> = {}): ModelEvent[] {
  return parts.flatMap(readParts({ maker: 'acme', estimated: 100, ...more }));
}

const text = (words: string): StreamPart[] => [
  { type: 'text-start', id: 't' },
  ...words.split('|').map((delta) => ({ type: 'text-delta', id: 't', delta })),
  { type: 'text-end', id: 't' },
];

describe('the parts of a stream', () => {
  it('are a text with its usage, under the ids that the maker gave', () => {
    const usage = {
      inputTokens: { total: 50, noCache: 20, cacheRead: 30, cacheWrite: 0 },
      outputTokens: { total: 7, reasoning: 2 },
    };
    const metadata = { type: 'response-metadata', id: 'resp_1', modelId: 'acme-2' };
    expect(read([metadata, ...text('Hel|lo'), finish('stop', 'stop', usage)])).toEqual([
      {
        type: 'started',
        usage: expect.objectContaining({ inputTokens: 100 }),
        responseId: 'resp_1',
        model: 'acme-2',
      },
      { type: 'text.delta', text: 'Hel' },
      { type: 'text.delta', text: 'lo' },
      { type: 'part.ended', part: { type: 'text', text: 'Hello' } },
      {
        type: 'ended',
        stopReason: 'end_turn',
        usage: {
          inputTokens: 20,
          outputTokens: 7,
          cacheReadTokens: 30,
          cacheWriteTokens: 0,
          thinkingTokens: 2,
        },
      },
    ]);
  });

  it('end in the order in which they began, with the marks that came last', () => {
    const marks = (n: number) => ({ providerMetadata: { acme: { sign: n } } });
    const events = read([
      { type: 'reasoning-start', id: 'r', ...marks(1) },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Yes' },
      { type: 'text-end', id: 't' },
      { type: 'reasoning-end', id: 'r', ...marks(2) },
      finish('stop'),
    ]);
    const meta = { acme: { acme: { sign: 2 } } };
    expect(events.flatMap((one) => (one.type === 'part.ended' ? [one.part] : []))).toEqual([
      { type: 'thinking', thinking: 'Hm', signature: '', meta },
      { type: 'text', text: 'Yes' },
    ]);
  });

  it('are calls in parallel, streamed or at once, with exact numbers, and broken ones as text', () => {
    const events = read([
      { type: 'tool-input-start', id: 'a', toolName: 'one' },
      { type: 'tool-input-start', id: 'b', toolName: 'two' },
      { type: 'tool-input-delta', id: 'a', delta: '{"n":2512292042121000001}' },
      { type: 'tool-call', toolCallId: 'b', toolName: 'two', input: '{"n":' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'one', input: '{"n":2512292042121000001}' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'three', input: '' },
      finish('stop', 'stop'),
    ]);
    const parts = events.flatMap((one) => (one.type === 'part.ended' ? [one.part] : []));
    expect(parts).toEqual([
      { type: 'tool_use', id: 'a', name: 'one', input: { n: { '\uFDD0': '2512292042121000001' } } },
      { type: 'tool_use', id: 'b', name: 'two', input: { [INVALID_JSON]: '{"n":' } },
      { type: 'tool_use', id: 'c', name: 'three', input: {} },
    ]);
    const requested = events.filter(({ type }) => type === 'tool.requested');
    expect(requested.map((one) => ('callId' in one ? one.callId : ''))).toEqual(['a', 'b', 'c']);
    // A server says `stop` beside calls.
    expect(events.at(-1)).toMatchObject({ type: 'ended', stopReason: 'tool_use' });
  });

  it('are calls of a tool that was searched for, by its own name', () => {
    const input = JSON.stringify({ tool: 'deep', input: { x: 1 } });
    const call = { type: 'tool-call', toolCallId: 'a', toolName: USE_TOOL, input };
    const events = read([call, finish('tool-calls')], { wrapped: new Set(['deep']) });
    expect(events.slice(1, -1)).toEqual([
      { type: 'tool.requested', callId: 'a', name: 'deep' },
      { type: 'tool.args.delta', callId: 'a', json: '{"x":1}' },
      {
        type: 'part.ended',
        part: { type: 'tool_use', id: 'a', name: 'deep', input: { x: 1 }, isWrapped: true },
      },
    ]);
  });

  it.each([
    ['stop', 'stop', { stopReason: 'end_turn' }],
    ['length', 'length', { stopReason: 'max_tokens' }],
    ['content-filter', 'safety', { stopReason: 'refusal' }],
    ['other', 'odd_one', { stopReason: 'end_turn', unknownReason: 'odd_one' }],
  ])('end with %s (%s)', (unified, raw, expected) => {
    expect(read([...text('Hi'), finish(unified, raw)]).at(-1)).toMatchObject(expected);
  });

  it.each([
    ['interrupted', undefined, 'closed the stream'],
    ['other', undefined, 'closed the stream'],
    ['error', 'error', 'could not be read'],
  ])('break off with %s (%s)', (unified, raw, message) => {
    expect(() => read([...text('Hi'), finish(unified, raw)])).toThrow(message);
  });

  it('keep what a cut reply has, and the estimate where nothing is said of usage', () => {
    const zeros = { inputTokens: { total: 0, noCache: 0 }, outputTokens: { total: 3 } };
    const events = read([
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Half' },
      finish('length', 'length', zeros),
    ]);
    expect(events.at(-2)).toEqual({ type: 'part.ended', part: { type: 'text', text: 'Half' } });
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 100, outputTokens: 3 } });
    const uncounted = read([
      ...text('Twelve words or so, of which nobody has counted a single one.'),
      finish('stop'),
    ]);
    const last = uncounted.at(-1);
    expect(last?.type === 'ended' ? last.usage.outputTokens : 0).toBeGreaterThan(10);
    expect(last).toMatchObject({ isEstimated: true });
    expect(events.at(-1)).not.toHaveProperty('isEstimated');
  });

  it('say what the package does not honour', () => {
    const warnings = [
      { type: 'unsupported', feature: 'topK', details: 'not at this model' },
      { type: 'other', message: 'odd' },
    ];
    const start = { type: 'stream-start', warnings };
    const events = read([start, ...text('Hi'), finish('stop')]);
    expect(events.at(-1)).toMatchObject({ notHonoured: ['topK: not at this model', 'odd'] });
  });

  it('throw an error as it came, and what comes before its start', () => {
    const failed = { status: 'overloaded' };
    expect(() => read([{ type: 'error', error: failed }])).toThrow(
      expect.objectContaining({ status: 'overloaded' }),
    );
    expect(() => read([{ type: 'text-delta', id: 'x', delta: 'a' }])).toThrow('before its start');
  });
});
