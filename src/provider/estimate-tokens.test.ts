import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { estimateTokens } from './estimate-tokens.js';

interface Sample {
  name: string;
  /** Tokens of `text` by `countTokens` of `@anthropic-ai/tokenizer` 0.0.4. */
  tokens: number;
  text: string;
}

/** Counts recorded once, with that package, which the tests do not need. */
const samples = JSON.parse(
  readFileSync(new URL('fixtures/token-samples.json', import.meta.url), 'utf8'),
) as Sample[];

describe('estimateTokens', () => {
  it.each(samples.map((sample) => [sample.name, sample] as const))(
    'is within 25 %% of the count of %s',
    (_name, { text, tokens }) => {
      expect(estimateTokens(text) / tokens).toBeGreaterThan(0.75);
      expect(estimateTokens(text) / tokens).toBeLessThan(1.25);
    },
  );

  it('is within 10 % of the count of all of them together', () => {
    const sum = (of: (sample: Sample) => number) =>
      samples.reduce((total, sample) => total + of(sample), 0);
    const ratio = sum(({ text }) => estimateTokens(text)) / sum(({ tokens }) => tokens);
    expect(Math.abs(ratio - 1)).toBeLessThan(0.1);
  });

  it('of nothing is nothing, and of more is never less', () => {
    expect(estimateTokens('')).toBe(0);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (before, more) => {
        expect(estimateTokens(before + more)).toBeGreaterThanOrEqual(estimateTokens(before));
      }),
    );
  });
});
