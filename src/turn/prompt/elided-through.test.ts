import { expect, it } from '@jest/globals';
import { noUsage } from '../../events/turn-event.js';
import { elidedThrough } from './transcripts.js';

const steps = (...tokens: number[]) =>
  tokens.map((inputTokens, index) => ({ step: index + 1, usage: { ...noUsage, inputTokens } }));

it.each([
  [[], 0],
  [[10, 50, 99, 99, 99], 0],
  [[10, 50, 99, 100], 1],
  [[100, 100], 0],
  // An elided turn has headroom again; it is cut further when that is used up.
  [[10, 50, 80, 90, 100, 40, 60], 2],
  [[10, 50, 80, 90, 100, 40, 60, 100], 5],
])('of %j up to step %s', (tokens, through) => {
  expect(elidedThrough(steps(...tokens), 100)).toBe(through);
});
