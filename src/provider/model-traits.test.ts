import { expect, it } from '@jest/globals';
import { traitsOf } from './model-traits.js';

it.each([
  ['claude-opus-4-8', true],
  ['claude-opus-4-8-20260528', true],
  ['claude-opus-5', true],
  ['claude-sonnet-5-20270101', true],
  ['claude-haiku-5-1', true],
  ['claude-opus-4-7', false],
  ['claude-opus-4-20250514', false],
  ['claude-sonnet-4-20250514', false],
  ['claude-sonnet-4-5-20250929', false],
  ['claude-3-5-haiku-latest', false],
  ['my-gateway/claude-opus-5', false],
  ['rehearsal', false],
])('%s takes system messages: %s', (model, takes) => {
  expect(traitsOf(model).takesSystemMessages).toBe(takes);
});

it('knows the window of a model by the mark in its name', () => {
  expect(traitsOf('claude-sonnet-4-5').contextWindow).toBe(200_000);
  expect(traitsOf('claude-sonnet-4-5[1m]').contextWindow).toBe(1_000_000);
});
