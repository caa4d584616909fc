import { ApiProperty } from '@nestjs/swagger';
import { time } from '../http/fields/json-schemas.js';
import { EmptyIsAbsent, OneOf } from '../http/fields/field-rules.decorator.js';
import type { DayOfUsage, UsageView } from '../governance/budgets/usage-service.js';

export class MeasureDto implements NonNullable<UsageView['tokens']> {
  @ApiProperty({ type: Number, description: 'With what running calls have reserved.' })
  used!: number;

  @ApiProperty({ type: Number })
  limit!: number;
}

export class DayUsageDto implements UsageView {
  @ApiProperty({ type: String, example: '2026-01-31', description: 'The day, in UTC.' })
  day!: string;

  @ApiProperty({ type: MeasureDto, nullable: true, description: 'Null: no limit.' })
  tokens!: MeasureDto | null;

  @ApiProperty({ type: MeasureDto, nullable: true, description: 'US dollars; null: no limit.' })
  usd!: MeasureDto | null;

  @ApiProperty(time)
  resetsAt!: string;
}

export class UsageDaysQueryDto {
  @EmptyIsAbsent()
  @OneOf(['own', 'all'], {
    description: 'The caller’s own usage, or that of all principals. Default: own.',
  })
  of?: 'own' | 'all';
}

export class DayOfUsageDto implements DayOfUsage {
  @ApiProperty({ type: String, example: '2026-01-31', description: 'The day, in UTC.' })
  day!: string;

  @ApiProperty({ type: String })
  principal!: string;

  @ApiProperty({ type: String, nullable: true })
  model!: string | null;

  @ApiProperty({ type: 'integer' })
  turns!: number;

  @ApiProperty({ type: Number, description: 'Input, output, and those of the provider’s cache.' })
  tokens!: number;

  @ApiProperty({ type: Number, description: 'US dollars, as far as prices are known.' })
  usd!: number;
}

export class UsageDaysDto {
  @ApiProperty({ type: [DayOfUsageDto], description: 'The newest day first.' })
  days!: DayOfUsageDto[];
}
