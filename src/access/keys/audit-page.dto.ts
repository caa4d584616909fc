import { ApiProperty } from '@nestjs/swagger';
import { jsonObject, time } from '../../http/fields/json-schemas.js';
import type { AuditPage } from './audit-service.js';

type AuditEntry = AuditPage['entries'][number];

export class AuditEntryDto implements AuditEntry {
  id!: string;
  @ApiProperty(time) at!: string;
  /** Who did it. */
  principal!: string;
  /** @example key.create */
  action!: string;
  /** Id of what it was done to. */
  subject!: string;
  @ApiProperty(jsonObject) details!: Record<string, unknown>;
}

export class AuditPageDto implements AuditPage {
  /** Oldest first. */
  entries!: AuditEntryDto[];
  /** Page token: the `after` of the next page. Absent on the last page. */
  nextAfter?: string;
}
