import type { Usage } from '../../storage/shapes/stored-step.js';
import { contextTokens } from '../state/turn-state.js';

/** The last steps of a turn, whose outputs stay whole: the model is at work with them. */
const KEPT_STEPS = 3;

/**
 * The step up to which a long turn's tool outputs are cut to their beginnings, so that the turn can
 * go on; 0: no step. Derived from the provider's usage of each step, so that a recovered turn sends
 * the same bytes. Pure.
 *
 * @param full tokens from which the window counts as full.
 */
export function elidedThrough(
  steps: readonly { step: number; usage: Usage }[],
  full: number,
): number {
  let through = 0;
  for (const { step, usage } of steps) {
    if (contextTokens(usage) >= full) through = Math.max(through, step - KEPT_STEPS);
  }
  return through;
}
