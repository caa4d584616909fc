import { Inject, Injectable } from '@nestjs/common';
import { and, count, eq, gte, isNotNull, sql } from 'drizzle-orm';
import { dayEnd, dayLimitsOf, dayOf } from '../limits/day-budget.js';
import type { DayLimits } from '../../storage/shapes/stored-options.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';
import { loadUsage } from './usage-days.js';

const DAY_MS = 86_400_000;
/** Days that the list has. */
const SHOWN_DAYS = 30;

export interface UsageView {
  /** The day, in UTC. */
  day: string;
  /** Null where there is no limit: nothing is counted then. */
  tokens: Measure | null;
  /** Dollars, by the prices the server knows. */
  usd: Measure | null;
  resetsAt: string;
}

interface Measure {
  /** Includes what running calls have reserved. */
  used: number;
  limit: number;
}

/** Usage of principals, by day. */
@Injectable()
export class UsageService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async today(principalId: string, limits: DayLimits): Promise<UsageView> {
    const now = this.clock.now();
    const day = dayOf(now);
    const { tokensPerDay = 0, usdPerDay = 0 } = dayLimitsOf(limits) ?? {};
    const used = await loadUsage(this.db, { principalId, day });
    return {
      day,
      tokens: tokensPerDay > 0 ? { used: used.tokens, limit: tokensPerDay } : null,
      usd: usdPerDay > 0 ? { used: used.microUsd / 1_000_000, limit: usdPerDay } : null,
      resetsAt: new Date(dayEnd(now)).toISOString(),
    };
  }

  /** The last days of a principal, or of all. */
  async days(principalId: string | undefined): Promise<DayOfUsage[]> {
    const from = new Date(this.clock.now() - SHOWN_DAYS * DAY_MS);
    return loadDays(this.db, { principalId, from });
  }
}

/** Turns and tokens of a day, of one principal with one model. */
export interface DayOfUsage {
  /** In UTC. */
  day: string;
  principal: string;
  model: string | null;
  turns: number;
  /** Input, output, and what was read from and written to the provider's cache. */
  tokens: number;
  /** Dollars, as far as prices are known. */
  usd: number;
}

/**
 * The usage of ended turns by day, principal and model, the newest day first. It reads each turn of the days.
 *
 * @param principalId undefined: all principals.
 */
async function loadDays(
  db: Queryable,
  { principalId, from }: { principalId: string | undefined; from: Date },
): Promise<DayOfUsage[]> {
  const day = sql<string>`to_char(${turns.createdAt} at time zone 'UTC', 'YYYY-MM-DD')`;
  const model = sql<string | null>`${turns.options} -> 'options' ->> 'model'`;
  const used = (name: string) =>
    sql`coalesce((${turns.usage} ->> ${sql.raw(`'${name}'`)})::float8, 0)`;
  const tokens = sql.join(
    ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'].map(used),
    sql` + `,
  );
  return db
    .select({
      day: sql<string>`${day} as day`,
      principal: turns.principalId,
      model: sql<string | null>`${model} as model`,
      turns: count(),
      tokens: sql`sum(${tokens})`.mapWith(Number),
      usd: sql`sum(${used('costUsd')})`.mapWith(Number),
    })
    .from(turns)
    .where(
      and(
        gte(turns.createdAt, from),
        isNotNull(turns.usage),
        principalId === undefined ? undefined : eq(turns.principalId, principalId),
      ),
    )
    .groupBy(sql`1, 2, 3`)
    .orderBy(sql`1 desc, 2, 3`);
}
