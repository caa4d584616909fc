import { RequestForm } from '../http/request.pipe.js';
import { ApiProperty } from '@nestjs/swagger';
import { time, whole } from '../http/fields/json-schemas.js';
import { EmptyIsAbsent, OneOf } from '../http/fields/field-rules.decorator.js';
import { DayFilter, ListFilter } from '../http/fields/filters.decorator.js';
import {
  usageFields,
  type DayOfUsage,
  type UsageView,
} from '../governance/budgets/usage-service.js';

export class MeasureDto implements NonNullable<UsageView['tokens']> {
  /** With what running calls have reserved. */
  used!: number;
  limit!: number;
}

export class DayUsageDto implements UsageView {
  /**
   * The day, in UTC.
   *
   * @example 2026-01-31
   */
  day!: string;

  /** Null: no limit. */
  tokens!: MeasureDto | null;
  /** US dollars; null: no limit. */
  usd!: MeasureDto | null;
  @ApiProperty(time) resetsAt!: string;
}

@RequestForm({ closed: 'The query' })
export class UsageDaysQueryDto {
  /** The caller’s own usage, or that of all principals. Default: own. */
  @EmptyIsAbsent()
  @OneOf(['own', 'all'])
  of?: 'own' | 'all';

  @DayFilter('The first day. Default: 30 days ago.') since?: string | undefined;

  @DayFilter('The last day. Default: today.') until?: string | undefined;

  @ListFilter(
    usageFields,
    'What usage is told apart by, beside its day. Default: `principal,model`.',
  )
  by?: string | undefined;
}

/** Which days a list of usage has; every field may be left out. */
export interface UsageDaysQuery {
  /** `all`: usage of everybody, which needs the scope `admin`. Default: own. */
  of?: 'own' | 'all';
  /** The first day, in UTC, as `2026-01-31`. Default: 30 days ago. */
  since?: string;
  /** The last day. Default: today. */
  until?: string;
  /** Any of `principal`, `key`, `agent` and `model`, with commas between them. Default: `principal,model`. */
  by?: string;
}

export class DayOfUsageDto implements DayOfUsage {
  /**
   * The day, in UTC.
   *
   * @example 2026-01-31
   */
  day!: string;

  /** Null: not told apart. So are the three fields that follow. */
  principal!: string | null;
  /** The API key’s id; empty: no key sent the turns. */
  key!: string | null;
  agent!: string | null;
  model!: string | null;
  /** Without those of subagents, whose usage is that of the turn that asked them. */
  @ApiProperty(whole) turns!: number;
  /** Turns of these that failed. */
  @ApiProperty(whole) failed!: number;
  /** Input, output, and those of the provider’s cache. */
  tokens!: number;
  /** US dollars, as far as prices are known. */
  usd!: number;
}

export class UsageDaysDto {
  /** The newest day first. */
  days!: DayOfUsageDto[];
}
