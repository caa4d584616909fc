import { desc, eq } from 'drizzle-orm';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { sessions, turns } from '../../storage/schema.js';
import type { ApprovalRow } from '../../turn/approvals/approval-writes.js';
import type { TurnRow } from '../../turn/state/turn-lookup.js';
import { findAskingTurn, loadTreeApprovals } from '../conversation/find-questions.js';
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

  /** @param param the field that named it. @throws TypedError TURN_NOT_FOUND 404. */
  async get(name: ResponseName, principal: Principal, param?: string): Promise<FoundResponse> {
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

  /** The response that begins with the answer to a question. */
  ofAnswer(turn: TurnRow, approvalId: string): Promise<FoundResponse> {
    return this.#link(
      turn,
      ({ answered }) => answered.includes(approvalId),
      () => responseNotFound(approvalId),
    );
  }

  /** The first response of a turn. */
  first(turnId: string, principal: Principal): Promise<FoundResponse> {
    return this.get({ turnId, approvalId: undefined }, principal);
  }

  /** The turn that asked; undefined where none of the principal's did. */
  async findAsking(approvalId: string, principal: Principal): Promise<TurnRow | undefined> {
    const turn = await findAskingTurn(this.db, approvalId);
    return turn?.principalId === principal.id ? turn : undefined;
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
    isWanted: (response: LinkedResponse) => boolean,
    missing: () => Error,
  ): Promise<FoundResponse> {
    const approvals = await loadTreeApprovals(this.db, turn.id);
    const chain = linkResponses(turn.id, approvals);
    const index = chain.findIndex(isWanted);
    const [response, last] = [chain[index], chain.at(-1)];
    if (response === undefined || last === undefined) throw missing();
    const before = chain[index - 1]?.id ?? turn.request.responses?.previousResponseId ?? null;
    return { turn, response, last, approvals, wanted: describeWanted(turn, response, before) };
  }
}
