import { ApiProperty } from '@nestjs/swagger';
import { time, whole } from '../http/fields/json-schemas.js';
import { EmptyIsAbsent, OneOf } from '../http/fields/field-rules.decorator.js';
import type { DayOfUsage, UsageView } from '../governance/budgets/usage-service.js';

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

export class UsageDaysQueryDto {
  /** The caller’s own usage, or that of all principals. Default: own. */
  @EmptyIsAbsent()
  @OneOf(['own', 'all'])
  of?: 'own' | 'all';
}

export class DayOfUsageDto implements DayOfUsage {
  /**
   * The day, in UTC.
   *
   * @example 2026-01-31
   */
  day!: string;

  principal!: string;
  model!: string | null;
  @ApiProperty(whole) turns!: number;
  /** Input, output, and those of the provider’s cache. */
  tokens!: number;
  /** US dollars, as far as prices are known. */
  usd!: number;
}

export class UsageDaysDto {
  /** The newest day first. */
  days!: DayOfUsageDto[];
}
