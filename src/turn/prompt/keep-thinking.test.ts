import { describe, expect, it } from '@jest/globals';
import { keepThinking, type ThinkingStep } from './build-messages.js';

const step = (key: string, more: Partial<ThinkingStep> = {}): ThinkingStep => ({
  key,
  digest: key,
  sent: { hash: key, thinkingFrom: null },
  ...more,
});
const after = (key: string, thinkingFrom: string | null): ThinkingStep =>
  step(key, { sent: { hash: key, thinkingFrom } });

const kept = (steps: ThinkingStep[], through?: string): string[] =>
  [...keepThinking(steps, through)].sort();

describe('keepThinking', () => {
  it('keeps all where nothing before has changed', () => {
    expect(kept([step('a'), after('b', 'a'), after('c', 'a')])).toEqual(['a', 'b', 'c']);
  });

  it('drops what was made after something else, and all before it', () => {
    const changed = step('b', { sent: { hash: 'other', thinkingFrom: 'a' } });
    expect(kept([step('a'), changed, after('c', 'c')])).toEqual(['c']);
  });

  it('drops what nobody wrote down the beginning of', () => {
    expect(kept([step('a', { sent: null }), after('b', null)])).toEqual(['b']);
  });

  it('restores nothing that a later step was made without', () => {
    expect(kept([step('a'), step('b')])).toEqual(['b']);
    expect(kept([step('a'), step('b'), after('c', 'b')])).toEqual(['b', 'c']);
  });

  it('restores what no later thinking was made without', () => {
    expect(kept([step('a'), after('b', 'a')])).toEqual(['a', 'b']);
  });

  it('keeps nothing up to where the provider refused it', () => {
    expect(kept([step('a'), after('b', 'a'), after('c', 'a')], 'b')).toEqual(['c']);
  });

  it('takes a first step that is gone for one before all others', () => {
    expect(kept([after('b', 'a'), after('c', 'a')])).toEqual(['b', 'c']);
  });
});
