import { ApiProperty } from '@nestjs/swagger';
import type { UsageView } from './usage-service.js';

/** Null where there is no limit. `nullable` needs a type beside it, which a reference does not have. */
const Measure = (description: string) =>
  ApiProperty({
    type: 'object',
    nullable: true,
    description,
    required: ['used', 'limit'],
    properties: {
      used: { type: 'number', description: 'With what running calls have reserved.' },
      limit: { type: 'number' },
    },
  });

export class DayUsageDto implements UsageView {
  @ApiProperty({ type: String, example: '2026-01-31', description: 'The day, in UTC.' })
  day!: string;

  @Measure('Null: no limit.')
  tokens!: UsageView['tokens'];

  @Measure('US dollars; null: no limit.')
  usd!: UsageView['usd'];

  @ApiProperty({ type: String, format: 'date-time' })
  resetsAt!: string;
}
