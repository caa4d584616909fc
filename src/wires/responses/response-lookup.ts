import { and, eq, isNull } from 'drizzle-orm';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/face.js';
import { DATABASE, type Database, sessions, turns } from '../../storage/face.js';
import {
  type ApprovalRow,
  ConversationService,
  type SubmittedTurn,
  type TurnRow,
} from '../../turn/face.js';
import { readLog } from '../chat/turn-streams.js';
import { responseAfter } from './dialect/responses.js';
import type { ResponseItem, ResponseObject } from './dialect/response-frames.js';
import { readItem, type InputItem } from './input-item.js';
import type { KnownItem } from './input-items.js';
import { findAskingTurn, loadTreeApprovals } from '../chat/questions.js';
import type { ResponseDescription } from './dialect/response-items.js';
import {
  linkResponses,
  type LinkedResponse,
  describeResponse,
  formatResponseId,
  parseResponseId,
  type ResponseName,
} from './response-description.js';
import { itemNotFound, responseNotFound } from './responses-errors.js';

export interface FoundResponse {
  turn: TurnRow;
  response: LinkedResponse;
  /** The last response of the turn. */
  last: LinkedResponse;
  wanted: ResponseDescription;
  approvals: readonly ApprovalRow[];
}

const uuid = /_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:_|$)/;

/** Responses and their items by their ids, among a principal's own. */
@Injectable()
export class ResponseLookup {
  constructor(
    private readonly conversations: ConversationService,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

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
    const id = formatResponseId(name);
    const responses = await this.#ofOwnTurn(name.turnId, principal);
    const found = responses.find(({ response }) => response.id === id);
    if (found === undefined || !isKept(found)) throw responseNotFound(id, param);
    return found;
  }

  /** The first response of a turn. @throws TypedError TURN_NOT_FOUND 404. */
  async first(turnId: string, principal: Principal): Promise<FoundResponse> {
    const [first] = await this.#ofOwnTurn(turnId, principal);
    if (first !== undefined) return first;
    throw responseNotFound(formatResponseId({ turnId, approvalId: undefined }));
  }

  /** The last response of a turn of the principal's. */
  async lastOf(turn: TurnRow): Promise<FoundResponse> {
    const last = (await this.#responsesOf(turn)).at(-1);
    if (last === undefined) throw responseNotFound(turn.id);
    return last;
  }

  /** The response that begins with one of the answers; while none of them has decided anything, the one that asks. */
  async ofAnswers(turnId: string, approvalIds: readonly string[]): Promise<FoundResponse> {
    const [turn] = await this.db.select().from(turns).where(eq(turns.id, turnId));
    const responses = turn === undefined ? [] : await this.#responsesOf(turn);
    const begun = responses.find(({ response }) =>
      response.answered.some((id) => approvalIds.includes(id)),
    );
    const found = begun ?? responses.at(-1);
    if (found === undefined) throw responseNotFound(turnId);
    return found;
  }

  /** A response as it is now. @throws TypedError STREAM_EXPIRED 410 where its events are kept no longer. */
  async read({ turn, wanted }: FoundResponse): Promise<ResponseObject> {
    return responseAfter(wanted, await readLog(this.conversations, turn.id));
  }

  /**
   * Puts items in the place of their ids, as the responses that they are in have them.
   *
   * @throws TypedError TURN_NOT_FOUND 404 for an item of no response of the principal's; STREAM_EXPIRED 410.
   */
  async resolve(items: readonly InputItem[], principal: Principal): Promise<KnownItem[]> {
    const byTurn = new Map<string, readonly ResponseItem[]>();
    const known: KnownItem[] = [];
    for (const item of items) {
      if (item.kind !== 'reference') {
        known.push(item);
        continue;
      }
      const turnId = await this.#turnOfItem(item.id, principal);
      if (turnId === undefined) throw itemNotFound(item.id, `${item.field}.id`);
      const said = byTurn.get(turnId) ?? (await this.#itemsOf(turnId, principal));
      byTurn.set(turnId, said);
      const named = said.find(({ id }) => id === item.id);
      if (named === undefined) throw itemNotFound(item.id, `${item.field}.id`);
      const read = readItem(named, item.field);
      if (read.kind !== 'reference') known.push(read);
    }
    return known;
  }

  /** The turn that asked; undefined where none of the principal's did. */
  async findAsking(approvalId: string, principal: Principal): Promise<TurnRow | undefined> {
    const turn = await findAskingTurn(this.db, approvalId);
    return turn?.principalId === principal.id ? turn : undefined;
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

  /** The turn that an item's id names: the ids of calls and questions have that of their approval. */
  async #turnOfItem(id: string, principal: Principal): Promise<string | undefined> {
    const key = uuid.exec(id)?.[1];
    if (key === undefined) return undefined;
    if (!/(^|_)appr_/.test(id)) return `turn_${key}`;
    return (await this.findAsking(`appr_${key}`, principal))?.id;
  }

  /** The items of all responses of a turn; none where it is not the principal's. */
  async #itemsOf(turnId: string, principal: Principal): Promise<readonly ResponseItem[]> {
    const kept = (await this.#ofOwnTurn(turnId, principal)).filter(isKept);
    if (kept.length === 0) return [];
    const events = await readLog(this.conversations, turnId);
    return kept.flatMap(({ wanted }) => responseAfter(wanted, events).output);
  }

  /** The responses of a turn, in order; none where it is not the principal's, or another wire's. */
  async #ofOwnTurn(turnId: string, principal: Principal): Promise<FoundResponse[]> {
    const [found] = await this.db
      .select({ turn: turns })
      .from(turns)
      .innerJoin(sessions, eq(sessions.id, turns.sessionId))
      .where(
        and(
          eq(turns.id, turnId),
          isNull(turns.parentTurnId),
          eq(sessions.principalId, principal.id),
          eq(sessions.origin, 'responses'),
        ),
      );
    return found === undefined ? [] : this.#responsesOf(found.turn);
  }

  async #responsesOf(turn: TurnRow): Promise<FoundResponse[]> {
    const approvals = await loadTreeApprovals(this.db, turn.id);
    const chain = linkResponses(turn.id, approvals);
    return chain.map((response, index) => {
      const before = chain[index - 1]?.id ?? turn.request.responses?.previousResponseId ?? null;
      const wanted = describeResponse(turn, response, before);
      return { turn, response, last: chain.at(-1) ?? response, approvals, wanted };
    });
  }
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
