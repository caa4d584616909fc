import { and, asc, eq, inArray, isNotNull, isNull, or, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { isId } from '../../platform/face.js';
import { approvals, type Database, turns } from '../../storage/face.js';
import {
  type AnswerInput,
  approvalNotFound,
  type ApprovalRow,
  type TurnRow,
} from '../../turn/face.js';
import type { TurnEvent } from '../../events/face.js';

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
export function findDecided(db: Database, turnId: string): Promise<string[]> {
  return findInTree(db, turnId, isNotNull(approvals.decision));
}

/** Ids of the approvals that a turn waits for, its subagents' included. */
export function findAsked(db: Database, turnId: string): Promise<string[]> {
  return findInTree(db, turnId, isNull(approvals.decision));
}

async function findInTree(db: Database, turnId: string, wanted: SQL): Promise<string[]> {
  const found = await db
    .select({ id: approvals.id })
    .from(approvals)
    .where(and(wanted, sql`${approvals.turnId} in ${treeOf(turnId)}`))
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

/**
 * Ids of the given answers, and of answers that the same turns take note of at the same time. A given answer may have
 * decided nothing yet, where others are awaited too.
 */
export async function withSimultaneousAnswers(
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
    .where(
      and(
        inArray(given.id, [...approvalIds]),
        or(isNotNull(approvals.decision), eq(approvals.id, given.id)),
      ),
    )
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

type Asked = Pick<ApprovalRow, 'id' | 'callId' | 'kind' | 'decision' | 'decidedAt'>;

/** Answers of a request to the questions of a conversation. */
export interface WireAnswers {
  /** By the question's id. `mayBeLate`: nothing is lost where somebody else decided before. */
  decisions: readonly { approvalId: string; given: AnswerInput; mayBeLate?: boolean }[];
  /** Outputs by their calls, some of which the server may have run: the client cannot know. */
  outputs: readonly { callId: string; given: AnswerInput }[];
}

/** An answer of a wire that has no words for the other fields. */
export function answerInput(
  decision: AnswerInput['decision'],
  fields: Partial<AnswerInput> = {},
): AnswerInput {
  return { message: undefined, input: undefined, rule: undefined, ...fields, decision };
}

export interface MatchedAnswer {
  approval: Asked;
  given: AnswerInput;
}

export interface MatchedAnswers<Turn = TurnRow> {
  /** The turn that waits for the answers, or waited for them. */
  turn: Turn;
  /** Every question of the turn that the request answers, the decided ones included. */
  asked: readonly Asked[];
  /** Answers to be given. Too late is the output of a tool whose question was decided without the client. */
  answers: readonly MatchedAnswer[];
}

/**
 * Matches answers with the questions that they name, the earliest turn's first. A conversation waits in one
 * turn at a time: where a request names questions of several, as clients do that send old answers again or
 * whose calls have ids that come twice, the last turn is meant. Of two outputs of a call the last one counts.
 * Pure.
 *
 * @returns undefined where nothing was answered that was asked.
 * @throws TypedError APPROVAL_NOT_FOUND 404 for a decision on what was not asked.
 */
export function matchAnswers<Turn extends { id: string }>(
  questions: readonly { approval: Asked; turn: Turn }[],
  { decisions, outputs }: WireAnswers,
): MatchedAnswers<Turn> | undefined {
  const unknown = decisions.find(
    ({ approvalId }) => !questions.some(({ approval }) => approval.id === approvalId),
  );
  if (unknown !== undefined) throw approvalNotFound(unknown.approvalId);
  const turn = questions.at(-1)?.turn;
  if (turn === undefined) return undefined;
  const asked = questions.flatMap((one) => (one.turn.id === turn.id ? one.approval : []));
  const answers = asked.flatMap((approval): MatchedAnswer[] => {
    const decision = decisions.findLast(({ approvalId }) => approvalId === approval.id);
    const answer = decision ?? outputs.findLast(({ callId }) => callId === approval.callId);
    if (answer === undefined) return [];
    const { given } = answer;
    const mayBeLate = decision === undefined || decision.mayBeLate === true;
    return mayBeLate && isDecidedElsewhere(approval, given) ? [] : [{ approval, given }];
  });
  return { turn, asked, answers };
}

/** An equal answer is given again: that changes nothing. */
function isDecidedElsewhere({ decision }: Asked, given: AnswerInput): boolean {
  return decision !== null && decision !== given.decision;
}

/**
 * Picks the approvals that a request answers from those it names: a client may name again approvals
 * that it answered before. The open ones are picked; where the request was taken already, those
 * decided last: the answers of one request are one transaction and have one instant. Pure.
 *
 * @returns their ids, in the order given.
 */
export function latestAnswers(
  approvals: readonly Pick<ApprovalRow, 'id' | 'decidedAt'>[],
): string[] {
  const instants = approvals.map(({ decidedAt }) => decidedAt?.getTime() ?? Infinity);
  const last = Math.max(...instants);
  return approvals.flatMap(({ id }, index) => (instants[index] === last ? [id] : []));
}

/** Ids of approvals that a turn, or a subagent, waits for from an event on. Pure. */
export function awaitedApprovals(event: TurnEvent): readonly string[] {
  if (event.type === 'subagent.told') return awaitedApprovals(event.event);
  return event.type === 'turn.parked' ? event.approvalIds : [];
}
