import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { jsonObject, time } from '../../http/fields/json-schemas.js';
import type { AuditPage } from './audit-service.js';

type AuditEntry = AuditPage['entries'][number];

export class AuditEntryDto implements AuditEntry {
  @ApiProperty({ type: String })
  id!: string;

  @ApiProperty(time)
  at!: string;

  @ApiProperty({ type: String, description: 'Who did it.' })
  principal!: string;

  @ApiProperty({ type: String, example: 'key.create' })
  action!: string;

  @ApiProperty({ type: String, description: 'Id of what it was done to.' })
  subject!: string;

  @ApiProperty(jsonObject)
  details!: Record<string, unknown>;
}

export class AuditPageDto implements AuditPage {
  @ApiProperty({ type: [AuditEntryDto], description: 'Oldest first.' })
  entries!: AuditEntryDto[];

  @ApiPropertyOptional({
    type: String,
    description: 'Page token: the `after` of the next page. Absent on the last page.',
  })
  nextAfter?: string;
}
