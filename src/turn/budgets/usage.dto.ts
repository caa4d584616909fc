import { ApiProperty } from '@nestjs/swagger';
import { time } from '../../http/fields/json-schemas.js';
import type { UsageView } from './usage-service.js';

class MeasureDto implements NonNullable<UsageView['tokens']> {
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
