import { describe, expect, it } from '@jest/globals';
import type { Usage } from '../../storage/shapes/stored-step.js';
import { estimateParts } from '../../provider/estimate-tokens.js';
import { noUsage } from '../../events/turn-event.js';
import type { StoredNotice } from '../../governance/notices/trigger.js';
import { estimateAdded, estimateCall, type CallSource } from './estimate-call.js';

const text = 'word '.repeat(100);
const model = { tokenScale: 1 };
const request = { system: text.repeat(20), tools: [], messages: [] };

const notice = (afterStep: number, more: Partial<StoredNotice> = {}): StoredNotice => ({
  mark: `m${afterStep}`,
  kind: 'k',
  level: 'step',
  text,
  metadata: {},
  seenByModel: true,
  afterStep,
  position: 0,
  ...more,
});
const source = (
  more: Partial<CallSource['progress']> = {},
  options: CallSource['turn']['options']['options'] = {},
): CallSource => ({
  model: { frame: { model } },
  turn: { options: { options } },
  conversation: { userParts: [{ type: 'text', text }] },
  progress: { steps: [], results: new Map(), notices: [], steered: [], ...more },
});
const usage: Usage = {
  inputTokens: 10,
  outputTokens: 10,
  cacheReadTokens: 900,
  cacheWriteTokens: 100,
};
const step = {
  step: 1,
  parts: [{ type: 'tool_use' as const, id: 'a', name: 'read', input: {} }],
  stopReason: 'tool_use' as const,
  usage,
  sent: null,
  endedAt: new Date(0),
};
const results = new Map([['a', { status: 'success' as const, output: text }]]);

describe('estimateAdded', () => {
  it.each([
    ['the message', source(), 1],
    [
      'the message, and those steered since',
      source({ steered: [{ messageId: 'u', afterStep: 0, text }] }),
      2,
    ],
    ['no notes that open the turn', source({ notices: [notice(0, { level: 'message' })] }), 1],
    ['the results of the last step, and no message again', source({ steps: [step], results }), 1],
    [
      'notices since, and none that only people see',
      source({
        steps: [step],
        results,
        notices: [notice(0), notice(1), notice(1, { seenByModel: false })],
      }),
      2,
    ],
  ])('is %s', (_name, run, texts) => {
    expect(estimateAdded(run) / (texts * 104)).toBeGreaterThan(0.9);
    expect(estimateAdded(run) / (texts * 104)).toBeLessThan(1.1);
  });
});

describe('estimateCall', () => {
  it('estimates the whole request where nothing was counted yet', () => {
    const { added, input, cached } = estimateCall(source(), request, 0);
    expect(added).toBeLessThan(120);
    expect(input).toBeGreaterThan(1_900);
    expect(cached).toBe(0);
    const silent = source({ steps: [{ ...step, usage: noUsage }], results });
    expect(estimateCall(silent, request, 0).input).toBeGreaterThan(1_900);
  });

  it('takes what the provider counted of the call before, with what its cache gives back', () => {
    const run = source({ steps: [step], results });
    const added = estimateAdded(run);
    expect(estimateCall(run, request, 299_999)).toEqual({
      added,
      input: 20 + added,
      cached: 1_000,
      isForHour: false,
    });
    expect(estimateCall(run, request, 300_000)).toMatchObject({ input: 1_020 + added, cached: 0 });
  });

  it('counts on an hour where the cache was asked for one', () => {
    const usage = { ...step.usage, cacheWrite1hTokens: step.usage.cacheWriteTokens };
    const plain = source({ steps: [{ ...step, usage }], results });
    const run = { ...plain, model: { frame: { ...plain.model.frame, cacheFor: '1h' as const } } };
    expect(estimateCall(run, request, 3_599_999)).toMatchObject({ cached: 1_000, isForHour: true });
    expect(estimateCall(run, request, 3_600_000)).toMatchObject({ cached: 0 });
  });

  it('counts a reply that was cheaper to generate than it is to send', () => {
    const parts = [
      { ...step.parts[0], type: 'tool_use' as const, id: 'a', name: 'read', input: { text } },
    ];
    const run = source({ steps: [{ ...step, parts }], results });
    const { added, input } = estimateCall(run, request, 0);
    expect(input - added).toBe(10 + estimateParts(parts, model));
  });

  it('expects nothing of the cache from a model that has not answered yet', () => {
    const run = source({ steps: [step], results }, { fallbackStep: 2 });
    const added = estimateAdded(run);
    expect(estimateCall(run, request, 0)).toMatchObject({ input: 1_020 + added, cached: 0 });
    const later = source({ steps: [step], results }, { fallbackStep: 1 });
    expect(estimateCall(later, request, 0).cached).toBe(1_000);
  });
});
