import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { noUsage, type Usage } from '../events/turn-event.js';
import { estimateInput, reserveReply, type LastCall } from './reserve-tokens.js';
import { tokensOf } from './turn-state.js';

const request = {
  system: 'x'.repeat(100),
  tools: [],
  messages: [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'y'.repeat(200) }] }],
};

describe('estimateInput', () => {
  it('counts rather too much than too little of what nobody counted yet', () => {
    expect(estimateInput(request, undefined, 0)).toBeGreaterThan(300 / 2);
    expect(estimateInput(request, undefined, 0)).toBeLessThan(300);
  });

  it('takes what the provider said of the call before, and estimates what is new', () => {
    const usage: Usage = { ...noUsage, inputTokens: 1_000, outputTokens: 50 };
    const last = { usage, endedAt: 0, reply: 'r'.repeat(20), added: ['z'.repeat(20)] };
    expect(estimateInput(request, last, 1)).toBe(1_060);
    expect(estimateInput(request, { ...last, reply: 'r'.repeat(200) }, 1)).toBe(1_110);
  });

  it('counts what the cache will give as free, for as long as the cache keeps it', () => {
    const usage: Usage = {
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 900,
      cacheWriteTokens: 100,
    };
    const last = { usage, endedAt: 0, reply: '', added: [] };
    expect(estimateInput(request, last, 299_999)).toBe(15);
    expect(estimateInput(request, last, 300_000)).toBe(1_015);
  });

  it('counts an image by what it can cost, not by its bytes', () => {
    const image = { type: 'image' as const, mediaType: 'image/png', base64: 'A'.repeat(1_000_000) };
    const messages = [{ role: 'user' as const, parts: [image] }];
    expect(estimateInput({ ...request, messages }, undefined, 0)).toBeLessThan(2_000);
  });
});

describe('reserveReply', () => {
  it.each([
    [{ left: 1_000, input: 200, most: 4_096 }, 800],
    [{ left: 100_000, input: 200, most: 4_096 }, 4_096],
    [{ left: 216, input: 200, most: 4_096 }, 16],
    [{ left: 215, input: 200, most: 4_096 }, undefined],
    [{ left: 100, input: 200, most: 4_096 }, undefined],
    [{ left: 203, input: 200, most: 3 }, 3],
  ])('of %j leaves %s', (room, reply) => {
    expect(reserveReply(room)).toBe(reply);
  });

  it('never lets a budget be overrun by a model that uses all it is given', () => {
    const step = fc.record({
      added: fc.nat(3_000),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 200_000 }),
        fc.array(step, { minLength: 1, maxLength: 60 }),
        (budget, steps) => {
          let used = 0;
          let context = 0;
          let last: LastCall | undefined;
          for (const { added, share } of steps) {
            // A text of n characters is n / 3 tokens for this model: fewer than are reserved.
            const text = 'w'.repeat(added);
            const messages = [{ role: 'user' as const, parts: [{ type: 'text' as const, text }] }];
            const estimated = estimateInput(
              { system: '', tools: [], messages },
              last === undefined ? undefined : { ...last, added: [text] },
              0,
            );
            const reply = reserveReply({ left: budget - used, input: estimated, most: 8_000 });
            if (reply === undefined) break;
            context += Math.floor(added / 3);
            const usage = {
              ...noUsage,
              inputTokens: context,
              outputTokens: Math.floor(reply * share),
            };
            used += tokensOf(usage);
            context += usage.outputTokens;
            last = { usage, endedAt: 0, reply: '', added: [] };
            expect(used).toBeLessThanOrEqual(budget);
          }
        },
      ),
    );
  });
});
