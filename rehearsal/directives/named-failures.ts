import type { AskedFailure } from '../http/wire-error.js';
import type { ModelProfile } from '../models/profiles.js';

/** Failures that clients tell apart by text or code, not by status. */
export const failureNames = [
  'spend_limit',
  'enforced_spend_limit',
  'credit',
  'ramp_limit',
  'prompt_too_long',
  'bound',
] as const;
export type FailureName = (typeof failureNames)[number];

export function namedFailure(name: FailureName, profile: ModelProfile): AskedFailure {
  switch (name) {
    case 'spend_limit':
      return {
        status: 400,
        message:
          'You have reached your specified API usage limits. You will regain access on ' +
          '2026-12-01 at 00:00 UTC.',
      };
    case 'enforced_spend_limit':
      return {
        status: 429,
        message: 'Your organization has reached its spend limit.',
        code: 'enforced_spend_limit_reached',
      };
    case 'credit':
      return {
        status: 400,
        message:
          'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing ' +
          'to upgrade or purchase credits.',
      };
    case 'ramp_limit':
      return {
        status: 429,
        message: 'Your usage has risen faster than your organization may ramp it up.',
        code: 'ramp_limit_exceeded',
      };
    case 'prompt_too_long':
      return {
        status: 400,
        message: `prompt is too long: ${profile.window + 1} tokens > ${profile.window} maximum`,
      };
    case 'bound':
      return {
        status: 400,
        message:
          'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a ' +
          'different conversation. Remove the block, or set ' +
          '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
      };
  }
}
