import { and, asc, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { isId } from '../../platform/ids.js';
import type { Database } from '../../storage/connection.js';
import { approvals } from '../../storage/governance-schema.js';
import { turns } from '../../storage/schema.js';
import type { ApprovalRow } from '../../turn/approvals/approval-writes.js';
import type { TurnRow } from '../../turn/state/turn-lookup.js';

/** An approval, and the turn of the conversation that waits for it: its own, or its subagent's root turn. */
export interface Question {
  approval: ApprovalRow;
  turn: TurnRow;
}

/**
 * Questions of a session, its subagents' included, by their ids or by ids of calls of the client's tools.
 * Those of later turns come after those of earlier ones.
 */
export async function findQuestions(
  db: Database,
  wanted: { sessionId: string; approvalIds: readonly string[]; callIds: readonly string[] },
): Promise<Question[]> {
  const approvalIds = wanted.approvalIds.filter(mayBeStored);
  const callIds = wanted.callIds.filter(mayBeStored);
  if (approvalIds.length + callIds.length === 0) return [];
  const ofClients = and(
    eq(approvals.sessionId, wanted.sessionId),
    eq(approvals.kind, 'client-tool'),
    inArray(approvals.callId, callIds),
  );
  return db
    .select({ approval: approvals, turn: turns })
    .from(approvals)
    .innerJoin(turns, sql`${turns.id} = ${rootOf(approvals.turnId)}`)
    .where(
      and(eq(turns.sessionId, wanted.sessionId), or(inArray(approvals.id, approvalIds), ofClients)),
    )
    .orderBy(asc(turns.createdAt), asc(turns.id), asc(approvals.createdAt), asc(approvals.id));
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

/** Ids of the approvals that a turn waits for, its subagents' included. */
export async function findAsked(db: Database, turnId: string): Promise<string[]> {
  const found = await db
    .select({ id: approvals.id })
    .from(approvals)
    .where(and(isNull(approvals.decision), sql`${approvals.turnId} in ${treeOf(turnId)}`))
    .orderBy(asc(approvals.id));
  return found.map(({ id }) => id);
}

/** All approvals of a turn and of its subagents, in the order in which they were requested. */
export function loadTreeApprovals(db: Database, turnId: string): Promise<ApprovalRow[]> {
  return db
    .select()
    .from(approvals)
    .where(sql`${approvals.turnId} in ${treeOf(turnId)}`)
    .orderBy(asc(approvals.createdAt), asc(approvals.id));
}

/** The turn of a conversation that asked, itself or through a subagent; undefined for no approval's id. */
export async function findAskingTurn(
  db: Database,
  approvalId: string,
): Promise<TurnRow | undefined> {
  if (!isId('appr', approvalId)) return undefined;
  const [found] = await db
    .select({ turn: turns })
    .from(approvals)
    .innerJoin(turns, sql`${turns.id} = ${rootOf(approvals.turnId)}`)
    .where(eq(approvals.id, approvalId));
  return found?.turn;
}

/** Ids of the given answers, and of answers that the same turns take note of at the same time. */
export async function withAnswersBeside(
  db: Database,
  approvalIds: readonly string[],
): Promise<string[]> {
  const given = alias(approvals, 'given');
  const found = await db
    .selectDistinct({ id: approvals.id })
    .from(approvals)
    .innerJoin(
      given,
      and(
        eq(given.turnId, approvals.turnId),
        sql`${given.appliedAttempt} is not distinct from ${approvals.appliedAttempt}`,
      ),
    )
    .where(and(inArray(given.id, [...approvalIds]), isNotNull(approvals.decision)))
    .orderBy(asc(approvals.id));
  return found.map(({ id }) => id);
}

/** NUL is in no id, and the database refuses text with it. */
function mayBeStored(id: string): boolean {
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
