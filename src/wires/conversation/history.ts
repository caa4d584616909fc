import { asc, inArray, and, eq, sql, desc, isNull, or } from 'drizzle-orm';
import { Inject, Injectable } from '@nestjs/common';
import { loadArchives } from '../../events/archive.js';
import type { TurnEvent } from '../../events/turn-event.js';
import type { PageQueryDto } from '../../http/paging/page-query.dto.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { steeredMessages } from '../../storage/governance-schema.js';
import { ConversationService } from '../../turn/history/conversation-service.js';
import { loadTurns, type StoredTurn } from '../../turn/state/stored-turn.js';
import { turns } from '../../storage/schema.js';
import { activeStatuses, unendedStatuses } from '../../storage/shapes/stored-turn.js';
import type { TurnRow } from '../../turn/state/turn-row.js';
import { messages } from '../../storage/transcript-schema.js';
import { askedIn, findDecided } from './questions.js';

/** A message that was steered into a turn. */
export interface SteeredMessage {
  id: string;
  clientId: string | null;
  text: string;
  createdAt: Date;
}

/** A turn with all that a wire's view of it is made of. */
export interface ConversationTurn {
  stored: StoredTurn;
  /** Its events so far; undefined: they are kept no longer. */
  events: readonly TurnEvent[] | undefined;
  /** In order; those that the model does not have yet, last. */
  steered: readonly SteeredMessage[];
  /** Ids of approvals that it does not wait for. */
  decided: readonly string[];
}

/** Turns of conversations with their events, for wires that show a conversation as its streams did. */
@Injectable()
export class ConversationHistory {
  constructor(
    private readonly turns: ConversationService,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /**
   * A page of turns, oldest first, from the newest page back.
   *
   * @throws TypedError INVALID_REQUEST 400 for a page token of another list.
   */
  async page(
    sessionId: string,
    page: PageQueryDto,
  ): Promise<{ turns: ConversationTurn[]; nextCursor?: string }> {
    const { turns: listed, ...rest } = await this.turns.turns(sessionId, page);
    const stored = await loadTurns(
      this.db,
      listed.map(({ turnId }) => turnId),
    );
    return { turns: await this.#withEvents(stored), ...rest };
  }

  async #withEvents(stored: readonly StoredTurn[]): Promise<ConversationTurn[]> {
    const { db } = this;
    const ended = stored.flatMap(({ turn }) => (turn.endedAt === null ? [] : turn.id));
    const archives = await loadArchives(db, ended);
    const steered = await this.#loadSteered(stored);
    const turns: ConversationTurn[] = [];
    for (const one of stored) {
      const { id, endedAt } = one.turn;
      const isOpen = endedAt === null;
      const events = isOpen ? await readLog(this.turns, id) : archives.get(id);
      // A turn that has ended waits for nothing.
      const decided = isOpen ? await findDecided(db, id) : (events ?? []).flatMap(askedIn);
      const own = steered.filter(({ turnId }) => turnId === id);
      turns.push({ stored: one, events, steered: own, decided });
    }
    return turns;
  }

  async #loadSteered(stored: readonly StoredTurn[]) {
    const ids = stored.flatMap(({ turn }) => (turn.steeredMessages > 0 ? turn.id : []));
    if (ids.length === 0) return [];
    return this.db
      .select()
      .from(steeredMessages)
      .where(inArray(steeredMessages.turnId, ids))
      .orderBy(asc(steeredMessages.position));
  }
}

/** All events of a turn so far. @throws TypedError STREAM_EXPIRED 410 where they are kept no longer. */
export async function readLog(
  conversations: ConversationService,
  turnId: string,
): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = await conversations.log(turnId, { cursor, limit: 1_000 });
    events.push(...page.events);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return events;
}

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

/** Messages of a client's list, by the ids that it has for them. */
export interface SaidOnce {
  sessionId: string;
  /** The user's message; undefined: it has no id. */
  userId: string | undefined;
  /** The answer to it; undefined: the client does not name it. */
  answerId: string | undefined;
}

/**
 * Finds the turn of the conversation that a message of the user began, by the id of the message or of its
 * answer; undefined where the server has none, as of a message that never came.
 */
export async function findSaid(
  db: Database,
  { sessionId, userId, answerId }: SaidOnce,
): Promise<string | undefined> {
  const byUser = and(eq(messages.role, 'user'), eq(messages.id, userId ?? ''));
  // JSON is compared as it is stored: what a message says may have characters that no text has.
  const byClient = sql`(${turns.request} -> 'clientMessageId')::text = ${JSON.stringify(userId ?? '')}`;
  const byAnswer = eq(turns.id, (answerId ?? '').replace(/^msg_/, 'turn_'));
  const [found] = await db
    .select({ id: turns.id })
    .from(turns)
    .leftJoin(messages, and(eq(messages.turnId, turns.id), byUser))
    .where(
      and(
        eq(turns.sessionId, sessionId),
        isNull(turns.supersededBy),
        or(eq(messages.id, userId ?? ''), byClient, byAnswer),
      ),
    )
    .orderBy(desc(turns.createdAt), desc(turns.id))
    .limit(1);
  return found?.id;
}

/** A message that has no turn of its own: it was steered into one. */
export interface SaidInTurn {
  turnId: string;
  /** The client's id of the message that began the turn, or the server's. */
  firstId: string;
}

/**
 * Finds the turn that a message of the user was steered into, by the id of the message or of its answer;
 * undefined where it was not.
 */
export async function findSaidInTurn(
  db: Database,
  { sessionId, userId, answerId }: SaidOnce,
): Promise<SaidInTurn | undefined> {
  const { id, turnId, clientId } = steeredMessages;
  const answered = answerId?.split(':')[1] ?? '';
  const byClient = sql`${clientId}::text = ${JSON.stringify(userId ?? '')}`;
  const [found] = await db
    .select({ turnId, request: turns.request, messageId: messages.id })
    .from(steeredMessages)
    .innerJoin(turns, eq(turns.id, turnId))
    .innerJoin(messages, and(eq(messages.turnId, turnId), eq(messages.role, 'user')))
    .where(
      and(
        eq(steeredMessages.sessionId, sessionId),
        isNull(turns.supersededBy),
        or(eq(id, userId ?? ''), eq(id, answered), byClient),
      ),
    )
    .limit(1);
  if (found === undefined) return undefined;
  const { request, messageId } = found;
  return { turnId: found.turnId, firstId: request.clientMessageId ?? messageId };
}
