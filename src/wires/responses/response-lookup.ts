import { desc, eq } from 'drizzle-orm';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { sessions, turns } from '../../storage/schema.js';
import type { ApprovalRow } from '../../turn/approvals/approval-writes.js';
import { findTurnByKey, type TurnRow } from '../../turn/state/turn-row.js';
import type { SubmittedTurn } from '../../turn/submit/turn-submission.js';
import { findAskingTurn, loadTreeApprovals } from '../conversation/questions.js';
import type { ResponseWanted } from './dialect/responses-state.js';
import { linkResponses, type LinkedResponse } from './response-chain.js';
import { describeWanted } from './response-facts.js';
import { formatResponseId, parseResponseId, type ResponseName } from './response-name.js';
import { responseNotFound } from './responses-errors.js';

export interface FoundResponse {
  turn: TurnRow;
  response: LinkedResponse;
  /** The last response of the turn. */
  last: LinkedResponse;
  wanted: ResponseWanted;
  approvals: readonly ApprovalRow[];
}

/** Responses by their ids, among a principal's own. */
@Injectable()
export class ResponseLookup {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** @throws TypedError TURN_NOT_FOUND 404. */
  find(responseId: string, principal: Principal): Promise<FoundResponse> {
    const name = parseResponseId(responseId);
    if (name === undefined) throw responseNotFound(responseId);
    return this.get(name, principal);
  }

  /**
   * @param param the field that named it.
   * @throws TypedError TURN_NOT_FOUND 404, also for one that was deleted, or was not to be kept and has ended.
   */
  async get(name: ResponseName, principal: Principal, param?: string): Promise<FoundResponse> {
    const found = await this.#load(name, principal, param);
    if (isKept(found)) return found;
    throw responseNotFound(found.response.id, param);
  }

  async #load(name: ResponseName, principal: Principal, param?: string): Promise<FoundResponse> {
    const { db } = this;
    const id = formatResponseId(name);
    const [found] = await db
      .select({
        turn: turns,
        session: { principalId: sessions.principalId, origin: sessions.origin },
      })
      .from(turns)
      .innerJoin(sessions, eq(sessions.id, turns.sessionId))
      .where(eq(turns.id, name.turnId));
    const isOwn =
      found?.session.principalId === principal.id &&
      found.session.origin === 'responses' &&
      found.turn.parentTurnId === null;
    if (!isOwn) throw responseNotFound(id, param);
    return this.#link(
      found.turn,
      (one) => one.id === id,
      () => responseNotFound(id, param),
    );
  }

  /** All responses of a turn. @throws TypedError TURN_NOT_FOUND 404. */
  async all(turnId: string, principal: Principal): Promise<FoundResponse[]> {
    const { turn, approvals } = await this.first(turnId, principal);
    const chain = linkResponses(turn.id, approvals);
    return chain
      .map((response) => describeFound(turn, response, { chain, approvals }))
      .filter(isKept);
  }

  /** The last response of a turn of the principal's. */
  lastOf(turn: TurnRow): Promise<FoundResponse> {
    return this.#link(
      turn,
      (_one, isLast) => isLast,
      () => responseNotFound(turn.id),
    );
  }

  /** The response that begins with the answer to a question. */
  async ofAnswer(turnId: string, approvalId: string): Promise<FoundResponse> {
    const [turn] = await this.db.select().from(turns).where(eq(turns.id, turnId));
    if (turn === undefined) throw responseNotFound(approvalId);
    return this.#link(
      turn,
      ({ answered }) => answered.includes(approvalId),
      () => responseNotFound(approvalId),
    );
  }

  /** The first response of a turn. */
  first(turnId: string, principal: Principal): Promise<FoundResponse> {
    return this.#load({ turnId, approvalId: undefined }, principal);
  }

  /** Deletes a response: it is found no more. What it said stays with the conversation. */
  async forget({ turn, response }: FoundResponse): Promise<void> {
    const { id } = turn;
    await this.db.transaction(async (tx) => {
      const [locked] = await tx
        .select({ request: turns.request })
        .from(turns)
        .where(eq(turns.id, id))
        .for('update');
      const { request } = locked ?? {};
      if (request?.responses === undefined) return;
      const deleted = [...(request.responses.deleted ?? []), response.id];
      const responses = { ...request.responses, deleted };
      await tx
        .update(turns)
        .set({ request: { ...request, responses } })
        .where(eq(turns.id, id));
    });
  }

  /** Whether its conversation has nothing else. */
  async isAlone({ turn, last }: FoundResponse): Promise<boolean> {
    if (last.answered.length > 0) return false;
    return (await this.db.$count(turns, eq(turns.sessionId, turn.sessionId))) === 1;
  }

  /** The turn that asked; undefined where none of the principal's did. */
  async findAsking(approvalId: string, principal: Principal): Promise<TurnRow | undefined> {
    const turn = await findAskingTurn(this.db, approvalId);
    return turn?.principalId === principal.id ? turn : undefined;
  }

  /** The turn of an earlier request with the same key. */
  findByKey(sessionId: string, idempotencyKey: string): Promise<TurnRow | undefined> {
    return findTurnByKey(this.db, sessionId, idempotencyKey);
  }

  /** Whether no turn of its conversation came after a turn. */
  async isLast({ id, sessionId }: TurnRow, db: Queryable = this.db): Promise<boolean> {
    const [last] = await db
      .select({ id: turns.id })
      .from(turns)
      .where(eq(turns.sessionId, sessionId))
      .orderBy(desc(turns.createdAt), desc(turns.id))
      .limit(1);
    return last?.id === id;
  }

  async #link(
    turn: TurnRow,
    isWanted: (response: LinkedResponse, isLast: boolean) => boolean,
    missing: () => Error,
  ): Promise<FoundResponse> {
    const approvals = await loadTreeApprovals(this.db, turn.id);
    const chain = linkResponses(turn.id, approvals);
    const response = chain.find((one, index) => isWanted(one, index === chain.length - 1));
    if (response === undefined) throw missing();
    return describeFound(turn, response, { chain, approvals });
  }
}

function describeFound(
  turn: TurnRow,
  response: LinkedResponse,
  { chain, approvals }: { chain: readonly LinkedResponse[]; approvals: readonly ApprovalRow[] },
): FoundResponse {
  const before = chain[chain.indexOf(response) - 1]?.id;
  const previousId = before ?? turn.request.responses?.previousResponseId ?? null;
  const last = chain.at(-1) ?? response;
  return { turn, response, last, approvals, wanted: describeWanted(turn, response, previousId) };
}

/** Whether a response can be asked for. */
function isKept({ turn, response, wanted }: FoundResponse): boolean {
  const isDeleted = turn.request.responses?.deleted?.includes(response.id) ?? false;
  return !isDeleted && (wanted.facts.store || turn.endedAt === null);
}

/** A turn that was there before, as a reader follows it. */
export function repeated({ turn }: FoundResponse): SubmittedTurn {
  const { onDisconnect } = turn.options.options;
  return { turnId: turn.id, onDisconnect, disposition: { type: 'repeated' } };
}
