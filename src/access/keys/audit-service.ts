import { compact } from '../../platform/compact.js';
import { Injectable } from '@nestjs/common';
import { isId } from '../../platform/ids.js';
import { invalidRequest } from '../../errors/typed-error.js';
import { parseLimit, type PageSize } from '../../http/page-request.js';
import { AuditLog } from '../audit-log.js';

const pageSize: PageSize = { standard: 100, most: 1_000 };

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

  /** @throws TypedError INVALID_REQUEST 400. */
  async page(asked: { after: unknown; limit: unknown }): Promise<AuditPage> {
    const limit = parseLimit(asked.limit, pageSize);
    const after = parseAfter(asked.after);
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

function parseAfter(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'string' && isId('audit', given)) return given;
  throw invalidRequest("'after' must be the 'id' of an entry, or the 'nextAfter' of a page");
}
