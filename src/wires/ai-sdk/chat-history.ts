import { setImmediate } from 'node:timers/promises';
import type { UIMessage } from 'ai';
import { Inject, Injectable } from '@nestjs/common';
import { asc, inArray } from 'drizzle-orm';
import type { Principal } from '../../access/face.js';
import { isTypedError } from '../../errors/typed-error.js';
import { loadArchives } from '../../events/face.js';
import type { PageQueryDto } from '../../http/face.js';
import { SessionService, sessionTitle } from '../../session/face.js';
import { DATABASE, type Database, steeredMessages } from '../../storage/face.js';
import { ConversationService, loadTurns, type StoredTurn } from '../../turn/face.js';
import { Conversations, findOpenTurn } from '../chat/conversations.js';
import { awaitedApprovals, findDecided } from '../chat/questions.js';
import { readLog } from '../chat/turn-streams.js';
import { badPage, chatNotFound } from './chat-errors.js';
import type { ChatListDto, ChatPageDto, ChatPageQueryDto } from './ai-sdk.dto.js';
import type { AiSdkVersion } from './dialect/ai-sdk-version.js';
import { findUnended, isShownWhole, viewTurn, type ConversationTurn } from './view-turn.js';

/** Chats of a principal, and their messages, page by page. */
@Injectable()
export class ChatHistory {
  constructor(
    private readonly conversations: Conversations,
    private readonly turns: ConversationService,
    private readonly sessions: SessionService,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /**
   * The last messages of a chat, or those before a page.
   *
   * @throws TypedError SESSION_NOT_FOUND 404, INVALID_REQUEST 400.
   */
  async read(
    { chatId, principal }: { chatId: string; principal: Principal },
    { before: cursor, limit }: ChatPageQueryDto,
    version: AiSdkVersion,
  ): Promise<ChatPageDto> {
    const { db } = this;
    const session = await this.conversations.find({ principal, name: chatId });
    if (session === undefined) throw chatNotFound(chatId);
    // A turn that the page does not have: what begins after this is on the newest page.
    const running = await findOpenTurn(db, session.id);
    const page = { cursor, limit };
    const found = this.#page(session.id, page);
    const { turns, nextCursor: before } = await found.catch((error: unknown) => {
      throw isTypedError(error, 'INVALID_REQUEST') ? badPage() : error;
    });
    const messages: UIMessage[] = [];
    for (const turn of turns) {
      messages.push(...(await viewTurn(turn, version)));
      // A turn of many calls takes 40 ms: other requests have their share between two.
      await setImmediate();
    }
    const isListed = turns.some(({ stored }) => stored.turn.id === running?.id);
    const open = findUnended(turns) ?? (isListed ? undefined : running?.id);
    const activeTurnId = open === undefined || isShownWhole(messages, open) ? null : open;
    return { messages, activeTurnId, ...(before === undefined ? {} : { before }) };
  }

  /** A page of a principal's chats, the last used first. @throws TypedError INVALID_REQUEST 400. */
  async list(principalId: string, { cursor, limit }: PageQueryDto): Promise<ChatListDto> {
    const page = { cursor, limit, origin: 'ai-sdk' } as const;
    const { rows, ...rest } = await this.sessions.pageRows(principalId, page);
    const chats = rows.map((row) => {
      const { id: sessionId, clientName, persona: agent, createdAt, updatedAt } = row;
      const title = sessionTitle(row.firstRequest);
      return {
        id: clientName ?? sessionId,
        sessionId,
        agent,
        ...(title === undefined ? {} : { title }),
        createdAt: createdAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
        activeTurnId: row.activeTurnId,
      };
    });
    return { chats, ...rest };
  }

  /** A page of turns with their events, oldest first, from the newest page back. */
  async #page(
    sessionId: string,
    page: PageQueryDto,
  ): Promise<{ turns: ConversationTurn[]; nextCursor?: string }> {
    const { db } = this;
    const { turns: listed, ...rest } = await this.turns.turns(sessionId, page);
    const stored = await loadTurns(
      db,
      listed.map(({ turnId }) => turnId),
    );
    const ended = stored.flatMap(({ turn }) => (turn.endedAt === null ? [] : turn.id));
    const archives = await loadArchives(db, ended);
    const steered = await this.#loadSteered(stored);
    const turns: ConversationTurn[] = [];
    // The newest first: one that has begun began after the end of the one before, whose events are then whole.
    for (const one of stored.toReversed()) {
      const { id, endedAt } = one.turn;
      const isOpen = endedAt === null;
      const events = isOpen ? await readLog(this.turns, id) : archives.get(id);
      // A turn that has ended waits for nothing.
      const decided = isOpen ? await findDecided(db, id) : (events ?? []).flatMap(awaitedApprovals);
      const own = steered.filter(({ turnId }) => turnId === id);
      turns.unshift({ stored: one, events, steered: own, decided });
    }
    return { turns, ...rest };
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
