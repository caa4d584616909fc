import { describe, expect, it } from '@jest/globals';
import { findMiss, type CachedCall, type CacheMiss } from './cache-misses.js';

const usage = { inputTokens: 0, outputTokens: 50, cacheReadTokens: 0, cacheWriteTokens: 0 };
const at = (minutes: number): Date => new Date(minutes * 60_000);

function call({ usage: used, ...more }: Omit<Partial<CachedCall>, 'usage'> & { usage?: object }) {
  return {
    startedAt: at(0),
    model: 'claude-a',
    cacheBroken: null,
    ...more,
    usage: { ...usage, ...used },
  } satisfies CachedCall;
}

const before = call({ usage: { cacheReadTokens: 8_000, cacheWriteTokens: 2_000 } });

describe('what a call paid for again', () => {
  it.each<[string, Parameters<typeof call>[0], Partial<CacheMiss> | undefined]>([
    ['nothing', { usage: { cacheReadTokens: 10_000, cacheWriteTokens: 500 } }, undefined],
    ['a lifetime', { startedAt: at(6) }, { tokens: 10_000, cause: 'expired' }],
    ['a part of it', { usage: { cacheReadTokens: 8_000 } }, { tokens: 2_000, cause: 'unknown' }],
    ['another model', { model: 'claude-b', startedAt: at(6) }, { cause: 'model-changed' }],
    ['another place', { model: 'bedrock/claude-a' }, { cause: 'place-changed' }],
    ['other tools', { cacheBroken: 'tools' }, { cause: 'tools-changed' }],
    ['another prompt', { cacheBroken: 'system' }, { cause: 'system-changed' }],
    ['a shorter history', { cacheBroken: 'messages' }, { cause: 'messages-changed' }],
    ['a model that was not stored', { model: null }, { cause: 'unknown' }],
  ])('%s', (_what, given, expected) => {
    const { usage: used, ...more } = given;
    const sent = { cacheWriteTokens: 10_000, ...used };
    const miss = findMiss(before, call({ ...more, usage: sent }), undefined);
    if (expected === undefined) expect(miss).toBeUndefined();
    else expect(miss).toMatchObject(expected);
  });

  it('is no more than the call had', () => {
    const short = call({ cacheBroken: 'messages', usage: { cacheWriteTokens: 3_000 } });
    expect(findMiss(before, short, undefined)).toEqual({
      tokens: 3_000,
      cause: 'messages-changed',
    });
  });

  it('costs what it would have cost less from the cache', () => {
    const price = { input: 10, output: 50, cacheWrite5m: 12, cacheRead: 1 };
    const late = call({ startedAt: at(9), usage: { cacheWriteTokens: 6_000, inputTokens: 4_000 } });
    // 6,000 were written again, and 4,000 sent as they are.
    const usd = (6_000 * 12 + 4_000 * 10 - 10_000 * 1) / 1e6;
    expect(findMiss(before, late, price)).toEqual({ tokens: 10_000, cause: 'expired', usd });
  });

  it('lasts an hour where the cache was asked to', () => {
    const hour = call({ usage: { cacheWriteTokens: 10_000, cacheWrite1hTokens: 10_000 } });
    const cause = (minutes: number) =>
      findMiss(hour, call({ startedAt: at(minutes), usage: { inputTokens: 10_000 } }), undefined)
        ?.cause;
    expect([cause(59), cause(61)]).toEqual(['unknown', 'expired']);
  });
});
