import type { Principal } from '../../access/principal.js';
import { Inject, Injectable } from '@nestjs/common';
import { dayEnd, dayLimitsOf, dayOf } from '../../governance/limits/day-budget.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { loadUsage } from './usage-days.js';

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
    @Inject(CLOCK) private readonly clock: Pick<Clock, 'now'>,
  ) {}

  async today({ id: principalId, limits }: Principal): Promise<UsageView> {
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
}
