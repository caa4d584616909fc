import type { Principal } from '../../access/ownership/principal.js';
import { dayEnd, dayLimitsOf, dayOf } from '../../governance/limits/day-budget.js';
import type { TurnServices } from '../state/turn-services.js';
import { readUsage } from './usage-days.js';

export interface UsageView {
  /** In UTC. */
  day: string;
  /** Null: there is no limit, and nothing is counted. */
  tokens: Measure | null;
  /** In dollars, by the prices the server knows. */
  usd: Measure | null;
  resetsAt: string;
}

interface Measure {
  /** With what running calls have reserved. */
  used: number;
  limit: number;
}

/** What principals have used of their days. */
export class UsageService {
  constructor(private readonly services: Pick<TurnServices, 'db' | 'clock'>) {}

  async today({ id: principalId, limits }: Principal): Promise<UsageView> {
    const { db, clock } = this.services;
    const now = clock.now();
    const day = dayOf(now);
    const { tokensPerDay = 0, usdPerDay = 0 } = dayLimitsOf(limits) ?? {};
    const used = await readUsage(db, { principalId, day });
    return {
      day,
      tokens: tokensPerDay > 0 ? { used: used.tokens, limit: tokensPerDay } : null,
      usd: usdPerDay > 0 ? { used: used.microUsd / 1_000_000, limit: usdPerDay } : null,
      resetsAt: new Date(dayEnd(now)).toISOString(),
    };
  }
}
