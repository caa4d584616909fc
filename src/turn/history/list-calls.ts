import { viewOutputFiles } from '../../attachments/stored-files.js';
import { compact } from '../../platform/compact.js';
import type { CallDto } from './history.dto.js';
import { and, asc, eq, gte, inArray } from 'drizzle-orm';
import { addUsage, noUsage } from '../../events/turn-event.js';
import type { Usage } from '../../storage/shapes/stored-step.js';
import type { Queryable } from '../../storage/connection.js';
import { steps, toolCalls } from '../../storage/transcript-schema.js';
import type { CallRow } from '../state/stored-turn.js';
import { shownStatus } from '../../tools/ledger.js';
import type { RetryClass } from '../../tools/tool.js';

/** Page token of a turn's calls: the page begins after the call of that id, of that step. */
export interface CallPageToken {
  step: number;
  callId: string;
}

/** A turn's calls as the ledger has them, in the order in which the model made them. */
export async function listCalls(
  db: Queryable,
  turnId: string,
  page: { after: CallPageToken | undefined; limit: number },
): Promise<CallRow[]> {
  const { after, limit } = page;
  const { step, callId } = toolCalls;
  const ids = await db
    .select({ step, callId })
    .from(toolCalls)
    .where(and(eq(toolCalls.turnId, turnId), gte(step, after?.step ?? 0)))
    .orderBy(asc(step), asc(callId));
  const ordered = await inOrder(db, turnId, ids.slice(0, endOfPage(ids, page)));
  const start = ordered.findIndex((one) => one.step === after?.step && one.callId === after.callId);
  const wanted = ordered
    .slice(start + 1)
    .slice(0, limit)
    .map((one) => one.callId);
  if (wanted.length === 0) return [];
  const rows = await db
    .select()
    .from(toolCalls)
    .where(and(eq(toolCalls.turnId, turnId), inArray(callId, wanted)));
  return rows.sort((a, b) => wanted.indexOf(a.callId) - wanted.indexOf(b.callId));
}

/** The end of the step in which a page ends, in calls by their steps: the order inside of a step is still open. */
function endOfPage(
  ids: readonly CallPageToken[],
  { after, limit }: { after: CallPageToken | undefined; limit: number },
): number {
  const begun = ids.filter(({ step }) => step === after?.step).length;
  const last = ids[Math.min(begun + limit, ids.length) - 1]?.step;
  return ids.findLastIndex(({ step }) => step === last) + 1;
}

/** Calls in the order of the replies that made them, which are stored before any call. */
async function inOrder(
  db: Queryable,
  turnId: string,
  ids: readonly CallPageToken[],
): Promise<CallPageToken[]> {
  const numbers = [...new Set(ids.map(({ step }) => step))];
  if (numbers.length === 0) return [];
  const replies = await db
    .select({ step: steps.step, parts: steps.parts })
    .from(steps)
    .where(and(eq(steps.turnId, turnId), inArray(steps.step, numbers)));
  const places = new Map(
    replies.flatMap(({ step, parts }) =>
      parts.flatMap((part, place): [string, number][] =>
        part.type === 'tool_use' ? [[formatCallToken({ step, callId: part.id }), place]] : [],
      ),
    ),
  );
  const placeOf = (token: CallPageToken): number => places.get(formatCallToken(token)) ?? 0;
  return ids.toSorted((a, b) => a.step - b.step || placeOf(a) - placeOf(b));
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

/**
 * A call for clients. Pure.
 *
 * @param sampled usage of the model calls that its server asked for.
 */
export function viewCall(
  row: CallRow,
  { retry, sampled }: { retry: RetryClass | undefined; sampled: readonly Usage[] | undefined },
): CallDto {
  const { callId, step, attempt, name, input, output, durationMs } = row;
  return {
    callId,
    step,
    attempt,
    name,
    input,
    status: shownStatus(row.status),
    output,
    durationMs,
    retry: retry ?? null,
    claimedAt: row.claimedAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    ...compact({
      files: viewOutputFiles(row.turnId, row.files),
      sampling: sampled && {
        modelCalls: sampled.length,
        usage: sampled.reduce(addUsage, noUsage),
      },
    }),
  };
}
