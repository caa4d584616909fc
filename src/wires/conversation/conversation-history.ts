import { asc, inArray } from 'drizzle-orm';
import { Inject, Injectable } from '@nestjs/common';
import { loadArchives } from '../../events/archive.js';
import type { TurnEvent } from '../../events/turn-event.js';
import type { PageQueryDto } from '../../http/paging/page-query.dto.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { steeredMessages } from '../../storage/governance-schema.js';
import { ConversationService } from '../../turn/history/conversation-service.js';
import { loadTurns, type StoredTurn } from '../../turn/state/load-turn.js';
import { askedIn } from './asked-in.js';
import { findDecided } from './find-questions.js';

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
      const events = isOpen ? await this.#readLog(id) : archives.get(id);
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

  /** The events of a turn that has not ended. */
  async #readLog(turnId: string): Promise<TurnEvent[]> {
    const events: TurnEvent[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.turns.log(turnId, { cursor, limit: 1_000 });
      events.push(...page.events);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return events;
  }
}
