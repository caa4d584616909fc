import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { someOptions } from '../../../test/support/turn/store-turn.js';
import { limitOptions, type Parent } from './start-subagent.js';

const { options } = someOptions;
const price = { input: 1, output: 1 };
const parent = (more: Partial<Parent> = {}): Parent => ({
  tools: ['read', 'write'],
  memory: false,
  tokensLeft: 10_000,
  usdLeft: undefined,
  msLeft: 60_500,
  secondsEach: undefined,
  unended: [],
  among: 1,
  ...more,
});
const child = (tokenBudget: number, usd?: number) => ({
  tokenBudget,
  costLimit: usd === undefined ? undefined : { usd, price },
});

describe('limitOptions', () => {
  it('gives a memory below a parent that has one', () => {
    const wants = { ...options, memory: true };
    expect(limitOptions(wants, parent()).memory).toBe(false);
    expect(limitOptions(wants, parent({ memory: true })).memory).toBe(true);
    expect(limitOptions(options, parent({ memory: true })).memory).toBe(false);
  });

  it('gives what is left, and no tool more', () => {
    const limited = limitOptions({ ...options, tools: ['bash', 'write'] }, parent());
    expect(limited.tools).toEqual(['write']);
    expect(limited.agentConfig).toMatchObject({ tokenBudget: 10_000, timeoutSeconds: 60 });
    expect(limited.costLimit).toBeUndefined();
  });

  it('gives less where the agent itself asks for less', () => {
    const agentConfig = { ...options.agentConfig, tokenBudget: 500, timeoutSeconds: 5 };
    expect(limitOptions({ ...options, agentConfig }, parent()).agentConfig).toEqual(agentConfig);
  });

  it.each([
    [60, 60],
    [10, 10],
    [3_600, 60],
  ])('gives %s s, its user’s most, where it has 60 s itself: %s', (secondsEach, seconds) => {
    const limited = limitOptions(options, parent({ secondsEach }));
    expect(limited.agentConfig.timeoutSeconds).toBe(seconds);
  });

  it('keeps back what others have, and shares the rest', () => {
    const { agentConfig } = limitOptions(options, parent({ unended: [child(4_000)], among: 2 }));
    expect(agentConfig.tokenBudget).toBe(3_000);
  });

  it('limits cost by what is left of it, at the price of the model', () => {
    const priced = { ...options, costLimit: { usd: 9, price } };
    const given = parent({ usdLeft: 1, unended: [child(100, 0.4)], among: 3 });
    expect(limitOptions(priced, given).costLimit?.usd).toBeCloseTo(0.2);
  });

  it.each<[string, Partial<Parent>, string]>([
    ['tokens', { tokensLeft: 99 }, 'too few tokens'],
    ['tokens that are not reserved', { unended: [child(9_950)] }, 'too few tokens'],
    ['a price', { usdLeft: 1 }, 'the price of'],
  ])('refuses without %s', (_what, more, message) => {
    expect(() => limitOptions(options, parent(more))).toThrow(message);
  });

  it('refuses without money', () => {
    const priced = { ...options, costLimit: { usd: 9, price } };
    expect(() =>
      limitOptions(priced, parent({ usdLeft: 0.5, unended: [child(100, 0.5)] })),
    ).toThrow('no money left');
  });

  it('never gives more in all than there was, however many begin and end', () => {
    const steps = fc.array(fc.record({ begin: fc.integer({ min: 1, max: 5 }), end: fc.nat(5) }));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 50_000 }), steps, (tokensLeft, rounds) => {
        const unended: ReturnType<typeof child>[] = [];
        for (const { begin, end } of rounds) {
          for (let among = begin; among > 0; among -= 1) {
            try {
              const given = limitOptions(options, parent({ tokensLeft, unended, among }));
              unended.push(child(given.agentConfig.tokenBudget));
            } catch {
              // Refused: nothing was given.
            }
          }
          expect(unended.reduce((sum, one) => sum + one.tokenBudget, 0)).toBeLessThanOrEqual(
            tokensLeft,
          );
          unended.splice(0, end);
        }
      }),
    );
  });
});
