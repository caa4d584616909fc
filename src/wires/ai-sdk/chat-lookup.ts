import { and, asc, eq, inArray, isNotNull, or, sql } from 'drizzle-orm';
import type { Database } from '../../storage/connection.js';
import { approvals } from '../../storage/governance-schema.js';
import { turns } from '../../storage/schema.js';
import { activeStatuses, unendedStatuses } from '../../storage/shapes/stored-turn.js';
import type { ApprovalRow } from '../../turn/approvals/approval-writes.js';
import type { TurnRow } from '../../turn/state/turn-lookup.js';

/**
 * The turn that a returning client follows: the session's active turn, or else the next held one.
 */
export async function findOpenTurn(db: Database, sessionId: string): Promise<TurnRow | undefined> {
  const isActive = inArray(turns.status, [...activeStatuses]);
  const [turn] = await db
    .select()
    .from(turns)
    .where(and(eq(turns.sessionId, sessionId), inArray(turns.status, [...unendedStatuses])))
    .orderBy(sql`${isActive} desc`, asc(turns.createdAt), asc(turns.id))
    .limit(1);
  return turn;
}

/** Ids of a turn's decided approvals, its subagents' included: answered, or expired. */
export async function findDecided(db: Database, turnId: string): Promise<string[]> {
  const found = await db
    .select({ id: approvals.id })
    .from(approvals)
    .where(and(isNotNull(approvals.decision), sql`${approvals.turnId} in ${treeOf(turnId)}`))
    .orderBy(asc(approvals.id));
  return found.map(({ id }) => id);
}

/** An approval, and the root turn of the turn that asked. */
export interface AskedQuestion {
  approval: ApprovalRow;
  root: TurnRow;
}

/** Approvals of a session, its subagents' included, by their ids or by ids of client tools' calls. */
export async function findAsked(
  db: Database,
  wanted: { sessionId: string; approvalIds: readonly string[]; callIds: readonly string[] },
): Promise<AskedQuestion[]> {
  const { sessionId } = wanted;
  const approvalIds = wanted.approvalIds.filter(mayBeThere);
  const callIds = wanted.callIds.filter(mayBeThere);
  const ofClients = and(
    eq(approvals.sessionId, sessionId),
    eq(approvals.kind, 'client-tool'),
    inArray(approvals.callId, callIds),
  );
  const found = await db
    .select({ approval: approvals, root: turns })
    .from(approvals)
    .innerJoin(turns, sql`${turns.id} = ${rootOf(approvals.turnId)}`)
    .where(and(eq(turns.sessionId, sessionId), or(inArray(approvals.id, approvalIds), ofClients)))
    .orderBy(asc(approvals.id));
  return found;
}

/** NUL is in no id, and the database refuses text with it. */
function mayBeThere(id: string): boolean {
  return !id.includes('\0');
}

function treeOf(turnId: string) {
  return sql`(
    with recursive tree as (
      select ${turnId}::text as id
      union
      select child.id from ${turns} child join tree on tree.id = child.parent_turn_id)
    select id from tree)`;
}

function rootOf(turnId: typeof approvals.turnId) {
  return sql`(
    with recursive above as (
      select leaf.id, leaf.parent_turn_id from ${turns} leaf where leaf.id = ${turnId}
      union
      select parent.id, parent.parent_turn_id from ${turns} parent
      join above on above.parent_turn_id = parent.id)
    select id from above where parent_turn_id is null)`;
}
