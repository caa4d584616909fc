import { and, asc, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { toolCalls } from '../../storage/transcript-schema.js';
import type { CallRow } from '../state/load-turn.js';

/** Page token of a turn's calls: the page begins after the call of that id, of that step. */
export interface CallPageToken {
  step: number;
  callId: string;
}

/** A turn's calls as the ledger has them, in the order of their steps. */
export function listCalls(
  db: Queryable,
  turnId: string,
  page: { after: CallPageToken | undefined; limit: number },
): Promise<CallRow[]> {
  const { after, limit } = page;
  const sortKey = sql`(${toolCalls.step}, ${toolCalls.callId})`;
  return db
    .select()
    .from(toolCalls)
    .where(
      and(
        eq(toolCalls.turnId, turnId),
        after === undefined ? undefined : sql`${sortKey} > (${after.step}, ${after.callId})`,
      ),
    )
    .orderBy(asc(toolCalls.step), asc(toolCalls.callId))
    .limit(limit);
}

/** The token's text: `<step>:<call id>`. */
export function formatCallToken({ step, callId }: CallPageToken): string {
  return `${step}:${callId}`;
}

/** @returns undefined for a text that is no page token. */
export function parseCallToken(token: unknown): CallPageToken | undefined {
  const parts = typeof token === 'string' ? /^(\d{1,9}):(.{1,200})$/s.exec(token) : null;
  const [, step, callId] = parts ?? [];
  if (step === undefined || callId === undefined || callId.includes('\0')) return undefined;
  return { step: Number(step), callId };
}
