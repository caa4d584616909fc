import { ratesOf } from '../../governance/limits/cost.js';
import type { CacheBreak } from '../../storage/shapes/sent-request.js';
import type { Price } from '../../storage/shapes/stored-options.js';
import type { Usage } from '../../storage/shapes/stored-step.js';
import { promptTokens } from '../../events/turn-event.js';
import { and, desc, eq, lt } from 'drizzle-orm';
import { compact } from '../../platform/compact.js';
import type { Queryable } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';
import type { Attempt, StepDraft } from '../state/attempt.js';
import type { AttemptContext } from '../state/attempt-context.js';
import { steps } from '../../storage/transcript-schema.js';

/** Why the provider read less from its cache than it had kept. */
export const missCauses = [
  'model-changed',
  'place-changed',
  'tools-changed',
  'system-changed',
  'messages-changed',
  'expired',
  'unknown',
] as const;
export type MissCause = (typeof missCauses)[number];

/** A model call, as far as its cache is concerned. */
export interface CachedCall {
  usage: Usage;
  startedAt: Date;
  /** Null: not stored. */
  model: string | null;
  cacheBroken: CacheBreak | null;
}

export interface CacheMiss {
  /** Tokens that were in the cache, and were paid for again. */
  tokens: number;
  cause: MissCause;
  /** US dollars more than they would have cost from the cache. Absent: no price is known. */
  usd?: number;
}

const FIVE_MINUTES_MS = 300_000;
const HOUR_MS = 3_600_000;

/**
 * What a call of a conversation paid for again, although the call before had it cached; undefined: nothing. Why is
 * known from what changed and how long it took. The provider says nothing of it. Pure.
 *
 * @param price of the model that was called, as it is now.
 */
export function findMiss(
  before: CachedCall,
  call: CachedCall,
  price: Price | undefined,
): CacheMiss | undefined {
  const kept = before.usage.cacheReadTokens + before.usage.cacheWriteTokens;
  const { usage } = call;
  const sent = promptTokens(usage);
  const tokens = Math.min(kept, sent) - usage.cacheReadTokens;
  if (tokens <= 0) return undefined;
  return {
    tokens,
    cause: causeOf(before, call),
    ...compact({ usd: price && extra(price, usage, tokens) }),
  };
}

function causeOf(before: CachedCall, call: CachedCall): MissCause {
  const [was, is] = [before.model, call.model];
  if (was !== null && is !== null && was !== is) {
    return nameOf(was) === nameOf(is) ? 'place-changed' : 'model-changed';
  }
  if (call.cacheBroken !== null) return `${call.cacheBroken}-changed`;
  const isHour = (before.usage.cacheWrite1hTokens ?? 0) > 0;
  const lifetimeMs = isHour ? HOUR_MS : FIVE_MINUTES_MS;
  const sinceMs = call.startedAt.getTime() - before.startedAt.getTime();
  return sinceMs >= lifetimeMs ? 'expired' : 'unknown';
}

/** A model's name without that of its place. */
function nameOf(model: string): string {
  return model.slice(model.indexOf('/') + 1);
}

/** What tokens cost more that were written again, or sent without the cache. */
function extra(price: Price, usage: Usage, tokens: number): number {
  const rates = ratesOf(price, promptTokens(usage));
  const written = Math.min(tokens, usage.cacheWriteTokens);
  const again = written * rates.cacheWrite5m + (tokens - written) * rates.input;
  return (again - tokens * rates.cacheRead) / 1e6;
}

/** Counts what a call paid for again, by the cause. */
export async function countMiss(
  {
    turn,
    conversation,
    services,
  }: Pick<Attempt, 'turn' | 'services'> & Pick<AttemptContext, 'conversation'>,
  { step, startedAt, price }: StepDraft,
  usage: Usage,
): Promise<void> {
  const before = await callBefore(services.db, turn, step);
  const { model } = turn.options.options;
  const { broken: cacheBroken = null } = conversation;
  const call = { usage, startedAt, model, cacheBroken };
  const miss = before && findMiss(before, call, price);
  if (miss === undefined) return;
  services.metrics.cacheMissedTokens.inc({ cause: miss.cause }, miss.tokens);
}

const cachedCall = {
  usage: steps.usage,
  startedAt: steps.startedAt,
  model: steps.model,
  cacheBroken: steps.cacheBroken,
};

/** The model call of a conversation before a turn's step; undefined: it was the first. */
export async function callBefore(
  db: Queryable,
  turn: { id: string; sessionId: string },
  step: number,
): Promise<CachedCall | undefined> {
  const [within] = await db
    .select(cachedCall)
    .from(steps)
    .where(and(eq(steps.turnId, turn.id), lt(steps.step, step)))
    .orderBy(desc(steps.step))
    .limit(1);
  if (within !== undefined) return within;
  const [earlier] = await db
    .select(cachedCall)
    .from(steps)
    .innerJoin(turns, eq(turns.id, steps.turnId))
    .where(and(eq(turns.sessionId, turn.sessionId), lt(turns.id, turn.id)))
    .orderBy(desc(turns.id), desc(steps.step))
    .limit(1);
  return earlier;
}
