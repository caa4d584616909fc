import {
  estimateFound,
  estimateParts,
  estimateRequest,
  estimateText,
  type TokenModel,
} from '../../provider/estimate-tokens.js';
import type { ResolvedOptions, Price } from '../../storage/shapes/stored-options.js';
import type { ModelRequest } from '../../provider/model-types.js';
import type { Progress, Attempt, StepDraft } from '../state/attempt.js';
import type { SentConversation } from '../state/attempt-context.js';
import type { CallEstimate } from '../../governance/limits/find-headroom.js';
import { contextTokens, addUsage, noUsage } from '../../events/turn-event.js';
import type { Usage } from '../../storage/shapes/stored-step.js';
import { costOf } from '../../governance/limits/cost.js';
import type { Queryable } from '../../storage/connection.js';
import { settle, type Reservation } from '../../governance/budgets/usage-days.js';

/** Milliseconds the provider's cache keeps a prefix, and one for an hour; each use starts them anew. */
const CACHE_MS = 5 * 60_000;
const HOUR_MS = 60 * 60_000;

/** The members of a run that an estimate needs. */
export interface CallSource {
  conversation: Pick<SentConversation, 'userParts'> &
    Partial<Pick<SentConversation, 'outputFiles'>>;
  model: { frame: { model: TokenModel; cacheFor?: '1h' } };
  turn: { options: { options: Pick<ResolvedOptions, 'fallbackStep'> } };
  progress: Pick<Progress, 'steps' | 'results' | 'notices' | 'steered'>;
}

/**
 * Estimates a call: the provider counted the prefix with the call before; only new parts are
 * estimated. Pure, and from stored rows: a recovered turn estimates the same.
 *
 * @param now milliseconds since the epoch.
 */
export function estimateCall(
  run: CallSource,
  request: Pick<ModelRequest, 'system' | 'tools' | 'messages'>,
  now: number,
): CallEstimate {
  const added = estimateAdded(run);
  const isForHour = run.model.frame.cacheFor === '1h';
  const before = run.progress.steps.at(-1);
  const known = before === undefined ? 0 : contextTokens(before.usage);
  // A call that was cut before its first event has no usage.
  if (before === undefined || known === 0) {
    const input = estimateRequest(request, run.model.frame.model);
    return { added, input, cached: 0, isForHour };
  }
  const { cacheReadTokens, cacheWriteTokens } = before.usage;
  const { fallbackStep = 0 } = run.turn.options.options;
  // Each model has a cache of its own.
  const keptMs = (before.usage.cacheWrite1hTokens ?? 0) > 0 ? HOUR_MS : CACHE_MS;
  const isCached = now - before.endedAt.getTime() < keptMs && before.step >= fallbackStep;
  const cached = isCached ? cacheReadTokens + cacheWriteTokens : 0;
  // A reply may cost more as a part of the prompt than it was counted as when it was generated.
  const { model } = run.model.frame;
  const found = estimateFound(before.parts, request.tools, model);
  const reply = estimateParts(before.parts, model) + found;
  const uncounted = Math.max(0, reply - before.usage.outputTokens);
  return { added, input: known + uncounted - cached + added, cached, isForHour };
}

/**
 * Tokens that the next call adds to the conversation: the user's message with its files, or the
 * results of the last step, and every notice and steered message since. Project notes, a summary or
 * open todos that open a turn are not counted as its own, and neither is the system prompt. Pure.
 */
export function estimateAdded({ model: { frame }, conversation, progress }: CallSource): number {
  const { model } = frame;
  const { steps, results, notices, steered } = progress;
  const last = steps.at(-1);
  const after = last?.step ?? 0;
  const answers = (last?.parts ?? []).flatMap((part) =>
    part.type === 'tool_use'
      ? [
          {
            type: 'tool_result' as const,
            callId: part.id,
            output: results.get(part.id)?.output ?? '',
            files: [...(conversation.outputFiles?.get(part.id) ?? [])],
            isError: false,
          },
        ]
      : [],
  );
  const since = [
    ...notices.filter(
      ({ afterStep, level, seenByModel }) => afterStep === after && level === 'step' && seenByModel,
    ),
    ...steered.filter(({ afterStep }) => afterStep === after),
  ];
  const parts = last === undefined ? conversation.userParts : answers;
  return since.reduce(
    (sum, { text }) => sum + estimateText(text, model),
    estimateParts(parts, model),
  );
}

/** The figures of a call that its provider does not report. */
export interface CallAccounting {
  /** See `CallEstimate`. */
  added: number;
  /** Undefined where it is not known. */
  price: Price | undefined;
}

/** A call's usage with what it added and cost. Pure. */
export function countUsage(reported: Usage, { added, price }: CallAccounting): Usage {
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
    sampled: ReadonlyMap<string, readonly Usage[]>;
    draft: StepDraft | undefined;
  };
  children: readonly { usage: Usage | undefined }[];
}

/** All that a turn was paid for: steps, subagents, summaries, what MCP servers asked, and the call that was cut. */
export function totalUsage({ progress, children }: PaidTurn): Usage {
  const { steps, overhead, sampled, draft } = progress;
  const own = steps.reduce((sum, step) => addUsage(sum, step.usage), overhead);
  const done = [...sampled.values()].flat().reduce(addUsage, own);
  const all = children.reduce((sum, { usage }) => addUsage(sum, usage ?? noUsage), done);
  return draft === undefined ? all : addUsage(all, draftUsage(draft));
}

/**
 * Takes the reservation from a call, to be settled with what is stored next: where that store fails, it is not settled
 * at all.
 */
export function takeReservation(draft: StepDraft | undefined): Reservation | undefined {
  const reserved = draft?.reserved;
  if (draft !== undefined) draft.reserved = undefined;
  return reserved;
}

/**
 * Settles a call that its worker cut because it stops: the turn goes on elsewhere, where the
 * reservation is not known. Where settling fails, the reservation stands until the day is over.
 */
export async function releaseReservation(
  { progress, logger }: Attempt,
  db: Queryable,
): Promise<void> {
  const { draft } = progress;
  const reserved = takeReservation(draft);
  if (draft === undefined || reserved === undefined) return;
  try {
    await settle(db, reserved, draftUsage(draft));
  } catch (error) {
    logger.warn(
      { error },
      'could not release the budget reserved for an interrupted model call; it counts until the end of the day',
    );
  }
}
