import { compact } from '../../platform/compact.js';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../audit-log.js';
import type { AuditQueryDto } from './audit-query.dto.js';

export interface AuditPage {
  /** Oldest first. Times are ISO-8601. */
  entries: {
    id: string;
    at: string;
    principal: string;
    action: string;
    subject: string;
    details: Record<string, unknown>;
  }[];
  /** The page token of the next page; absent on the last page. */
  nextAfter?: string;
}

/** Pages of the audit log, for its route. */
@Injectable()
export class AuditService {
  constructor(private readonly audit: AuditLog) {}

  async page({ after, limit }: AuditQueryDto): Promise<AuditPage> {
    // Loads an entry more than the page, to see whether a page follows.
    const found = await this.audit.list({ after, limit: limit + 1 });
    const entries = found
      .slice(0, limit)
      .map(({ id, at, principalId, action, subject, details }) => ({
        id,
        at: at.toISOString(),
        principal: principalId,
        action,
        subject,
        details,
      }));
    const last = found.length > limit ? entries.at(-1) : undefined;
    return { entries, ...compact({ nextAfter: last?.id }) };
  }
}
