import type { Usage } from '../../storage/shapes/stored-step.js';
import { costOf } from '../../governance/limits/cost.js';
import type { Price } from '../../storage/shapes/stored-options.js';
import { estimateParts, estimateText, type TokenModel } from '../../provider/estimate-tokens.js';
import type { StepDraft, Attempt } from '../state/attempt.js';
import { addUsage, noUsage } from '../../events/turn-event.js';
import type { Queryable } from '../../storage/connection.js';
import { settle } from '../../governance/budgets/usage-days.js';

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

export interface PaidTurn {
  progress: {
    steps: readonly { usage: Usage }[];
    overhead: Usage;
    draft: StepDraft | undefined;
  };
  children: readonly { usage: Usage | undefined }[];
}

/** All that a turn was paid for: steps, subagents, summaries, and the call that was cut. */
export function totalUsage({ progress, children }: PaidTurn): Usage {
  const { steps, overhead, draft } = progress;
  const done = steps.reduce((sum, step) => addUsage(sum, step.usage), overhead);
  const all = children.reduce((sum, { usage }) => addUsage(sum, usage ?? noUsage), done);
  return draft === undefined ? all : addUsage(all, draftUsage(draft));
}

/**
 * Settles a call that its worker cut because it stops: the turn goes on elsewhere, where the
 * reservation is not known. Where settling fails, the reservation stands until the day is over.
 */
export async function releaseReservation(
  { progress, logger }: Attempt,
  db: Queryable,
): Promise<void> {
  const { reserved, draft } = progress;
  if (reserved === undefined) return;
  progress.reserved = undefined;
  try {
    await settle(db, reserved, draft === undefined ? noUsage : draftUsage(draft));
  } catch (error) {
    logger.warn({ error }, 'the reservation of a cut call stands until the day is over');
  }
}
