import { describe, expect, it } from '@jest/globals';
import type { ThinkingChoice } from '../storage/shapes/stored-options.js';
import { ModelCatalogue } from './model-catalogue.js';
import { planThinking, parseThinking } from './thinking.js';

const catalogue = new ModelCatalogue();
const plan = (model: string, choice?: ThinkingChoice, most = 16_384) =>
  planThinking(catalogue.describe(model), choice, most);

describe('planThinking', () => {
  it.each([
    ['claude-sonnet-5-5', { thinking: { type: 'adaptive', display: 'summarized' } }],
    ['claude-opus-5-5', { thinking: { type: 'adaptive', display: 'summarized' } }],
    ['claude-sonnet-4-6', { thinking: { type: 'adaptive', display: 'summarized' } }],
    ['claude-haiku-4-5', { thinking: { type: 'enabled', budget_tokens: 8_192 } }],
    ['claude-nobody-knows', {}],
  ])('on, for %s', (model, expected) => {
    expect(plan(model, true)).toEqual(expected);
  });

  it.each([
    ['claude-sonnet-5-5', { thinking: { type: 'between_tools' } }],
    ['claude-haiku-5-5', { thinking: { type: 'disabled' } }],
    ['claude-opus-5', { thinking: { type: 'disabled' } }],
    ['claude-opus-5-5', {}],
    ['claude-opus-4-8', {}],
    ['claude-haiku-4-5', {}],
    ['claude-nobody-knows', {}],
  ])('off, for %s', (model, expected) => {
    expect(plan(model, false)).toEqual(expected);
    expect(plan(model)).toEqual(expected);
  });

  it('asks for an effort that the model has', () => {
    expect(plan('claude-opus-5-5', { effort: 'max' }).effort).toBe('max');
    expect(plan('claude-sonnet-4-6', { effort: 'xhigh' }).effort).toBe('high');
    expect(plan('claude-opus-4-5', { effort: 'max' }).effort).toBe('high');
    expect(plan('claude-haiku-4-5', { effort: 'low' }).effort).toBeUndefined();
  });

  it('hides thinking where it is asked to', () => {
    const thinking = { type: 'adaptive', display: 'omitted' };
    expect(plan('claude-sonnet-5-5', { display: 'omitted' })).toEqual({ thinking });
    const older = { type: 'enabled', budget_tokens: 8_192, display: 'omitted' };
    expect(plan('claude-haiku-4-5', { display: 'omitted' }).thinking).toEqual(older);
  });

  it('has no budget that the API refuses', () => {
    expect(plan('claude-haiku-4-5', true, 2_047)).toEqual({});
    expect(plan('claude-haiku-4-5', true, 2_048).thinking).toMatchObject({ budget_tokens: 1_024 });
  });
});

it.each([
  [true, true],
  [false, false],
  [{}, {}],
  [{ effort: 'low' }, { effort: 'low' }],
  [
    { effort: 'max', display: 'omitted' },
    { effort: 'max', display: 'omitted' },
  ],
])('takes %j', (value, expected) => {
  expect(parseThinking(value)).toEqual(expected);
});

it.each(['yes', 1, null, [], { effort: 'huge' }, { display: 'updates' }, { budget: 5 }])(
  'does not take %j',
  (value) => {
    expect(parseThinking(value)).toBeUndefined();
  },
);
