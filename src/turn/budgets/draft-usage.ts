import type { Usage } from '../../storage/shapes/stored-step.js';
import { costOf } from '../../governance/limits/cost.js';
import type { Price } from '../../storage/shapes/stored-limits.js';
import { estimateParts, estimateText, type TokenModel } from '../../provider/estimate-parts.js';
import type { StepDraft } from '../state/attempt.js';

/** The terms that a call is counted by, beside its provider's report. */
export interface CallTerms {
  /** See `CallEstimate`. */
  added: number;
  /** Undefined where it is not known. */
  price: Price | undefined;
}

/** A call's usage with what it added and cost. Pure. */
export function countUsage(reported: Usage, { added, price }: CallTerms): Usage {
  return {
    ...reported,
    addedTokens: added + reported.outputTokens,
    ...(price === undefined ? {} : { costUsd: costOf(reported, price) }),
  };
}

/**
 * The usage of a call that was cut: the provider's report, and of the reply at least the tokens
 * that were streamed. Providers count a reply when it is whole; a part of one is paid for all the
 * same. Pure.
 */
export function draftUsage(draft: StepDraft): Usage {
  const { usage, model } = draft;
  const streamed = estimateStreamed(draft, model);
  const reported = { ...usage, outputTokens: Math.max(usage.outputTokens, streamed) };
  return countUsage(reported, draft);
}

/**
 * The usage of a draft whose call is made again: its added tokens are counted with the next one.
 * Pure.
 */
export function discardedUsage(draft: StepDraft): Usage {
  return draftUsage({ ...draft, added: 0 });
}

function estimateStreamed(
  { parts, openText, openThinking, openInput }: StepDraft,
  model: TokenModel,
): number {
  const whole = parts.length === 0 ? 0 : estimateParts(parts, model);
  const open = [...openText, ...openThinking, ...openInput].join('');
  return whole + estimateText(open, model);
}
