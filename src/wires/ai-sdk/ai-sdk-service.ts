import type { ServerResponse } from 'node:http';
import { EMPTY } from 'rxjs';
import { Inject, Injectable } from '@nestjs/common';
import { and, desc, eq, isNull, or, sql } from 'drizzle-orm';
import type { Principal } from '../../access/face.js';
import { DEFAULT_PERSONA, PersonaLibrary } from '../../agents/face.js';
import { isTypedError } from '../../errors/typed-error.js';
import { compact } from '../../platform/face.js';
import { FrameStream } from '../../http/face.js';
import { DATABASE, type Database, messages, steeredMessages, turns } from '../../storage/face.js';
import {
  type CancelState,
  describeDisposition,
  findTurnByKey,
  getTurn,
  type SubmittedTurn,
  turnNotFound,
  type TurnRow,
} from '../../turn/face.js';
import { Conversations, findOpenTurn } from '../chat/conversations.js';
import { findAsked, findDecided } from '../chat/questions.js';
import { nameTurn, TurnStreams } from '../chat/turn-streams.js';
import {
  agentNotFound,
  chatBusy,
  chatNotFound,
  nothingAsked,
  nothingToStop,
  steeredIntoTurn,
  type SteeredMessageRef,
} from './chat-errors.js';
import type { AiSdkRequest } from './chat-request.js';
import type { AiSdkRange } from './dialect/ai-sdk.js';
import { splitCursor, type AiSdkVersion } from './dialect/ai-sdk-version.js';
import { turnWire } from './view-turn.js';

export interface AiSdkChat {
  asked: AiSdkRequest;
  principal: Principal;
  version: AiSdkVersion;
  /** The key in the request's header, which wins over the message's own. */
  idempotencyKey: string | undefined;
}

type ChatMessageInput = Extract<AiSdkRequest['input'], { type: 'message' }>;

/** A chat by its client's name for it, and the chat's owner. */
export interface NamedChat {
  chatId: string;
  principal: Principal;
}

/** Chats of the AI SDK: a chat is a session, an answer one message over all segments of its turn. */
@Injectable()
export class AiSdkService {
  constructor(
    private readonly conversations: Conversations,
    private readonly streams: TurnStreams,
    private readonly personas: PersonaLibrary,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /** Streams the answer to a message, or how a turn goes on after answers. */
  async chat(call: AiSdkChat, response: ServerResponse): Promise<FrameStream> {
    const { conversations } = this;
    const { input, chatId } = call.asked;
    if (input.type === 'message') return this.#answer(call, input, response);
    const { principal, version } = call;
    const session = await conversations.find({ principal, name: chatId });
    if (session === undefined) throw chatNotFound(chatId);
    const matched = await conversations.match(session.id, input.answers);
    if (matched === undefined) throw nothingAsked(chatId);
    await conversations.give(matched, principal);
    const answered = matched.asked.map(({ id }) => id);
    const { turn } = matched;
    return this.#stream(
      turn,
      response,
      { answered, from: 'answers', version },
      { answeredIn: input.messageId },
    );
  }

  /**
   * Streams the chat's turn that has not ended, from its start to where it waits; with the id of a
   * frame, what came after it, or all of its turn where the frame is of another version; with the id of a turn,
   * all of that turn, also where it has ended. Completes without a batch where there is nothing to stream.
   *
   * @throws TypedError TURN_NOT_FOUND 404, STREAM_EXPIRED 410, INVALID_REQUEST 400 for the id.
   */
  async resume(
    { chatId: name, principal }: NamedChat,
    { version, lastEventId }: { version: AiSdkVersion; lastEventId: string | undefined },
    response: ServerResponse,
  ): Promise<FrameStream> {
    const { db } = this;
    const session = await this.conversations.find({ principal, name });
    if (session === undefined) return new FrameStream(EMPTY);
    const last = lastEventId === undefined ? undefined : splitCursor(lastEventId);
    const turn =
      last === undefined
        ? await findOpenTurn(db, session.id)
        : await this.#findNamed(session.id, last.cursor);
    if (turn === undefined) return new FrameStream(EMPTY);
    const isFrame = last?.version === version && last.cursor !== turn.id;
    const after = isFrame ? last.cursor : undefined;
    const answered = await findDecided(db, turn.id);
    // The page's last message is the answer to what was steered into the turn last.
    const steered = after === undefined ? await findSteered(db, turn) : undefined;
    const from = await this.#beginning(turn, steered);
    return this.#stream(turn, response, { answered, from, version }, { after });
  }

  /** @throws TypedError SESSION_NOT_FOUND 404 where there is no chat, or nothing runs in it. */
  async stop({ chatId, principal }: NamedChat): Promise<{ turnId: string; state: CancelState }> {
    const { conversations } = this;
    const session = await conversations.find({ principal, name: chatId });
    if (session === undefined) throw chatNotFound(chatId);
    const stopped = await conversations.interrupt(session.id, principal);
    if (stopped === undefined) throw nothingToStop(chatId);
    return stopped;
  }

  async #answer(
    call: AiSdkChat,
    sent: ChatMessageInput,
    response: ServerResponse,
  ): Promise<FrameStream> {
    const { streams, db } = this;
    const { version } = call;
    const submitted = await this.#submit(call, sent);
    response.setHeader('X-Turn-Disposition', describeDisposition(submitted.disposition));
    const turn = await getTurn(db, submitted.turnId);
    nameIds(response, turn);
    const { disposition } = submitted;
    if (disposition.type === 'steered') {
      // Events before a steered message are in a message that the client has.
      const from = await this.#beginning(turn, disposition.messageId);
      const wire = turnWire(turn, { answered: [], from, version });
      return streams.ofSubmitted(submitted, wire);
    }
    if (disposition.type !== 'repeated') {
      const wire = turnWire(turn, { answered: [], from: 'turn', version });
      return streams.ofSubmitted(submitted, wire);
    }
    // Answers that the turn had meanwhile do not end this stream.
    const answered = await findDecided(db, turn.id);
    const steered = await findSteered(db, turn, call.idempotencyKey ?? sent.key);
    const from = await this.#beginning(turn, steered);
    return streams.ofSubmitted(submitted, turnWire(turn, { answered, from, version }));
  }

  async #submit(
    { asked, principal, idempotencyKey }: AiSdkChat,
    { message, history, key: ownKey, again }: ChatMessageInput,
  ): Promise<SubmittedTurn> {
    const { conversations } = this;
    const { chatId: name, projectRoot, opts, instructions, problems } = asked;
    const agent = asked.agent === undefined ? undefined : await this.#findAgent(asked.agent);
    const persona = agent ?? DEFAULT_PERSONA;
    const wanted = { principal, origin: 'ai-sdk', name, persona, projectRoot } as const;
    const key = idempotencyKey ?? ownKey;
    try {
      return await conversations.begin(wanted, async (sessionId) => {
        const replaces = again && (await this.#findReplaced({ sessionId, ...again }, key));
        return conversations.submit({
          sessionId,
          principal,
          message,
          history,
          instructions,
          problems,
          agent,
          opts: { ...compact({ replaces }), ...opts },
          idempotencyKey: key,
          // A page that is reloaded comes back.
          wireOnDisconnect: 'continue',
          whenBusy: 'beside',
        });
      });
    } catch (error) {
      throw isTypedError(error, 'TURN_IN_PROGRESS') ? chatBusy(name) : error;
    }
  }

  /**
   * The turn whose place a message takes that is said again; undefined: the server never had it.
   *
   * @throws TypedError INVALID_REQUEST 400 for a message that was steered into a turn.
   */
  async #findReplaced(sent: RepeatedMessage, key: string | undefined): Promise<string | undefined> {
    const { db } = this;
    // A repeated request replaces what the first one did.
    const first = key === undefined ? undefined : await findTurnByKey(db, sent.sessionId, key);
    if (first !== undefined) return first.replaces ?? undefined;
    const replaced = await findTurnOfMessage(db, sent);
    const steered = replaced === undefined ? await findSteeredMessage(db, sent) : undefined;
    if (steered !== undefined) throw steeredIntoTurn(steered);
    return replaced;
  }

  async #findAgent(agent: string): Promise<string> {
    try {
      return (await this.personas.load(agent)).name;
    } catch (error) {
      const isUnknown = isTypedError(error, 'PERSONA_NOT_FOUND');
      throw isUnknown ? agentNotFound(error, agent) : error;
    }
  }

  async #stream(
    turn: TurnRow,
    response: ServerResponse,
    range: Omit<AiSdkRange, 'clientTools'>,
    { after, answeredIn }: { after?: string | undefined; answeredIn?: string | undefined },
  ): Promise<FrameStream> {
    nameIds(response, turn);
    return this.streams.after(turn.id, after, turnWire(turn, range, answeredIn));
  }

  /** The stream of a message that was steered into a turn begins with that message, or with the turn's questions. */
  async #beginning(turn: TurnRow, steered: string | undefined): Promise<AiSdkRange['from']> {
    if (steered === undefined) return 'turn';
    return { steered, asks: await findAsked(this.db, turn.id) };
  }

  async #findNamed(sessionId: string, cursor: string): Promise<TurnRow> {
    const turnId = cursor.split(':', 1)[0] ?? '';
    const turn = await getTurn(this.db, turnId);
    if (turn.sessionId !== sessionId) throw turnNotFound(turnId);
    return turn;
  }
}

function nameIds(response: ServerResponse, { id: turnId, sessionId }: TurnRow): void {
  response.setHeader('X-Vercel-AI-UI-Message-Stream', 'v1');
  nameTurn(response, { turnId, sessionId });
}

/**
 * Id of the message that was steered into a turn with an idempotency key, or of the last one; undefined where
 * there is none.
 */
async function findSteered(
  db: Database,
  { id, steeredMessages: count }: TurnRow,
  idempotencyKey?: string,
): Promise<string | undefined> {
  if (count === 0) return undefined;
  const hasKey =
    idempotencyKey === undefined ? undefined : eq(steeredMessages.idempotencyKey, idempotencyKey);
  const [last] = await db
    .select({ id: steeredMessages.id })
    .from(steeredMessages)
    .where(and(eq(steeredMessages.turnId, id), hasKey))
    .orderBy(desc(steeredMessages.position))
    .limit(1);
  return last?.id;
}

/** Messages of a client's list, by the ids that it has for them. */
interface RepeatedMessage {
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
async function findTurnOfMessage(
  db: Database,
  { sessionId, userId, answerId }: RepeatedMessage,
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

/**
 * Finds the turn that a message of the user was steered into, by the id of the message or of its answer;
 * undefined where it was not.
 */
async function findSteeredMessage(
  db: Database,
  { sessionId, userId, answerId }: RepeatedMessage,
): Promise<SteeredMessageRef | undefined> {
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
