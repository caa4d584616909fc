import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../../../storage/connection.js';
import { approvals } from '../../../storage/governance-schema.js';
import { sessions } from '../../../storage/schema.js';

/** What a call asks its person to log in at. */
export interface LoginQuestion {
  /** The name of the MCP server. */
  server: string;
  issuer: string;
  scopes: readonly string[];
}

/** The question of a log-in, as the approval has it; undefined: it is none. */
export function questionOf(question: Record<string, unknown> | null): LoginQuestion | undefined {
  const { server, issuer, scopes } = question ?? {};
  if (typeof server !== 'string' || typeof issuer !== 'string') return undefined;
  const all = Array.isArray(scopes) ? scopes : [];
  return { server, issuer, scopes: all.filter((one) => typeof one === 'string') };
}

/** A log-in that a person finished. */
export interface FinishedLogin {
  principalId: string;
  host: string;
  issuer: string;
  scopes: readonly string[];
}

/**
 * The open questions of somebody's turns that a log-in answers: those for more scopes stay open.
 *
 * @returns the ids of the approvals, in order.
 */
export async function questionsMetBy(
  { principalId, host, issuer, scopes }: FinishedLogin,
  db: Queryable,
): Promise<string[]> {
  const { id, question } = approvals;
  const rows = await db
    .select({ id, question })
    .from(approvals)
    .innerJoin(sessions, eq(sessions.id, approvals.sessionId))
    .where(
      and(
        eq(sessions.principalId, principalId),
        eq(approvals.kind, 'mcp-authorize'),
        isNull(approvals.decision),
        sql`${question} ->> 'host' = ${host} and ${question} ->> 'issuer' = ${issuer}`,
      ),
    )
    .orderBy(asc(id));
  return rows.flatMap((row) => {
    const wanted = row.question?.['scopes'];
    const isMet =
      !Array.isArray(wanted) ||
      wanted.every((one) => typeof one === 'string' && scopes.includes(one));
    return isMet ? [row.id] : [];
  });
}
