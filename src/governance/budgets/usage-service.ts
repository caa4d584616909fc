import { Inject, Injectable } from '@nestjs/common';
import { sql, type SQL } from 'drizzle-orm';
import { dayEnd, dayOf } from '../limits/day-budget.js';
import type { DayLimits } from '../../storage/shapes/stored-options.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { loadUsage } from './usage-days.js';

const DAY_MS = 86_400_000;
/** Days that a list has which names none. */
const SHOWN_DAYS = 30;

/** What usage is told apart by, beside its day. */
export const usageFields = ['principal', 'key', 'agent', 'model'] as const;
export type UsageField = (typeof usageFields)[number];

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
    const { tokensPerDay, usdPerDay } = limits;
    const used = await loadUsage(this.db, { principalId, day });
    return {
      day,
      tokens: tokensPerDay > 0 ? { used: used.tokens, limit: tokensPerDay } : null,
      usd: usdPerDay > 0 ? { used: used.microUsd / 1_000_000, limit: usdPerDay } : null,
      resetsAt: new Date(dayEnd(now)).toISOString(),
    };
  }

  /**
   * The usage of days, the newest first.
   *
   * @param principalId undefined: all principals.
   */
  days(principalId: string | undefined, wanted: WantedDays = {}): Promise<DayOfUsage[]> {
    const now = this.clock.now();
    const {
      since = dayOf(now - SHOWN_DAYS * DAY_MS),
      until = dayOf(now),
      by = ['principal', 'model'],
    } = wanted;
    return loadDays(this.db, { principalId, since, until, by });
  }
}

export interface WantedDays {
  /** The first day, in UTC. Default: 30 days ago. */
  since?: string | undefined;
  /** The last day. Default: today. */
  until?: string | undefined;
  /** Default: principal and model. */
  by?: readonly UsageField[] | undefined;
}

/** Turns, tokens and cost of a day. A field that the list does not tell apart is null. */
export interface DayOfUsage {
  /** In UTC. */
  day: string;
  principal: string | null;
  /** The API key's id, empty for turns that no key sent. */
  key: string | null;
  agent: string | null;
  model: string | null;
  turns: number;
  /** Turns of these that failed. */
  failed: number;
  /** Input, output, and what was read from and written to the provider's cache. */
  tokens: number;
  /** Dollars, as far as prices are known. */
  usd: number;
}

/**
 * The usage of ended turns by day, the newest day first: of those that are stored, and of those that were deleted. It
 * reads each turn of the days. A subagent's is in that of its parent.
 */
async function loadDays(
  db: Queryable,
  {
    principalId,
    since,
    until,
    by,
  }: { principalId: string | undefined; since: string; until: string; by: readonly UsageField[] },
): Promise<DayOfUsage[]> {
  const used = (name: string): SQL => sql`coalesce((usage ->> ${sql.raw(`'${name}'`)})::float8, 0)`;
  const tokens = sql.join(
    ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'].map(used),
    sql` + `,
  );
  const own = principalId === undefined ? sql`true` : sql`principal_id = ${principalId}`;
  const told = (field: UsageField): SQL =>
    by.includes(field) ? sql`${sql.raw(field)}` : sql`null::text`;
  const { rows } = await db.execute(sql`
    with used as (
      select (created_at at time zone 'UTC')::date as day, principal_id as principal, coalesce(key_id, '') as key,
        coalesce(options -> 'options' ->> 'persona', '') as agent,
        coalesce(options -> 'options' ->> 'model', '') as model,
        1 as turns, case when status = 'failed' then 1 else 0 end as failed,
        ${tokens} as tokens, ${used('costUsd')} as usd
      from turns
      where created_at >= ${since}::date::timestamp at time zone 'UTC'
        and created_at < (${until}::date + 1)::timestamp at time zone 'UTC'
        and usage is not null and copied_from is null and parent_turn_id is null and ${own}
      union all
      select day, principal_id, key_id, agent, model, turns, failed, tokens, micro_usd / 1000000.0
      from usage_kept where day between ${since}::date and ${until}::date and ${own})
    select to_char(day, 'YYYY-MM-DD') as day, ${told('principal')} as principal, ${told('key')} as key,
      ${told('agent')} as agent, ${told('model')} as model, sum(turns)::float8 as turns,
      sum(failed)::float8 as failed, sum(tokens)::float8 as tokens, sum(usd)::float8 as usd
    from used group by 1, 2, 3, 4, 5 order by 1 desc, 2, 3, 4, 5`);
  return rows as DayOfUsage[];
}
