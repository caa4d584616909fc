import type { ServerResponse } from 'node:http';
import { EMPTY, type Observable } from 'rxjs';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { PersonaLibrary } from '../../agents/persona-library.js';
import { BlobStore } from '../../attachments/blob-store.js';
import { cleanName } from '../../attachments/clean-name.js';
import type { ReceivedFile } from '../../attachments/received-file.js';
import { isTypedError } from '../../errors/typed-error.js';
import type { FrameBatch } from '../../http/frame-batch.js';
import {
  findNamedSession,
  openNamedSession,
  type NamedSessionDeps,
} from '../../session/named-session.js';
import { ProjectRoots } from '../../session/project-roots.js';
import { isSessionMissing } from '../../session/session-errors.js';
import { defaultPersona } from '../../session/session-service.js';
import { SessionStore } from '../../session/session-store.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { ApprovalAnswerer } from '../../turn/approvals/approval-answerer.js';
import type { CancelState } from '../../turn/lifecycle/turn-canceller.js';
import { assistantMessageId } from '../../turn/state/assistant-message-id.js';
import { turnNotFound } from '../../turn/state/turn-errors.js';
import { getTurn, type TurnRow } from '../../turn/state/turn-lookup.js';
import { describeDisposition } from '../../turn/submit/disposition.js';
import type { SubmittedTurn } from '../../turn/submit/turn-submission.js';
import { TurnService } from '../../turn/turn-service.js';
import { TurnStreams } from '../conversation/turn-streams.js';
import { agentNotFound, chatBusy, chatNotFound, nothingToStop } from './chat-errors.js';
import { findDecided, findOpenTurn } from './chat-lookup.js';
import type { AiSdkRequest } from './chat-request.js';
import type { AiSdkRange } from './dialect/ai-sdk-state.js';
import { aiSdkDialect } from './dialect/ai-sdk.js';
import { giveAnswers } from './give-answers.js';
import type { UserMessage, FilePart } from './parse-user-message.js';

export interface AiSdkChat {
  asked: AiSdkRequest;
  principal: Principal;
  /** The key in the request's header, which wins over the message's own. */
  idempotencyKey: string | undefined;
}

/** A chat by its client's name for it, and the chat's owner. */
export interface NamedChat {
  chatId: string;
  principal: Principal;
}

/** Chats of the AI SDK: a chat is a session, an answer one message over all segments of its turn. */
@Injectable()
export class AiSdkService {
  constructor(
    private readonly turns: TurnService,
    private readonly streams: TurnStreams,
    private readonly answerer: ApprovalAnswerer,
    @Inject(SessionStore) private readonly sessions: Pick<SessionStore, 'get' | 'create'>,
    @Inject(ProjectRoots) private readonly projectRoots: Pick<ProjectRoots, 'check' | 'defaultOf'>,
    @Inject(PersonaLibrary) private readonly personas: Pick<PersonaLibrary, 'load'>,
    @Inject(BlobStore) private readonly store: Pick<BlobStore, 'put'>,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /** Streams the answer to a message, or how a turn goes on after answers. */
  async chat(call: AiSdkChat, response: ServerResponse): Promise<Observable<FrameBatch>> {
    const { input, chatId } = call.asked;
    if (input.type === 'message') return this.#answer(call, input, response);
    const { principal } = call;
    const session = await this.#find({ chatId, principal });
    if (session === undefined) throw chatNotFound(chatId);
    const { db, answerer } = this;
    const { turn, approvalIds } = await giveAnswers(
      { db, answerer },
      {
        chatId,
        sessionId: session.id,
        principal,
        parts: input.given,
      },
    );
    return this.#stream(turn, response, { answered: approvalIds, from: 'answers' });
  }

  /**
   * Streams the chat's turn that has not ended, from its start to where it waits; with the id of a
   * frame, what came after it. Completes without a batch where there is nothing to stream.
   *
   * @throws TypedError TURN_NOT_FOUND 404, STREAM_EXPIRED 410, INVALID_REQUEST 400 for the id.
   */
  async resume(
    chat: NamedChat,
    lastEventId: string | undefined,
    response: ServerResponse,
  ): Promise<Observable<FrameBatch>> {
    const { db } = this;
    const session = await this.#find(chat);
    if (session === undefined) return EMPTY;
    const turn =
      lastEventId === undefined
        ? await findOpenTurn(db, session.id)
        : await this.#findNamed(session.id, lastEventId);
    if (turn === undefined) return EMPTY;
    const answered = await findDecided(db, turn.id);
    return this.#stream(turn, response, { answered, from: 'turn' }, lastEventId);
  }

  /** @throws TypedError SESSION_NOT_FOUND 404 where there is no chat, or nothing runs in it. */
  async stop(chat: NamedChat): Promise<{ turnId: string; state: CancelState }> {
    const { turns } = this;
    const { chatId, principal } = chat;
    const session = await this.#find(chat);
    if (session === undefined) throw chatNotFound(chatId);
    return turns.interrupt(session.id, principal.id).catch((error: unknown) => {
      throw isSessionMissing(error, 'NO_ACTIVE_TURN') ? nothingToStop(chatId) : error;
    });
  }

  async #answer(
    call: AiSdkChat,
    message: UserMessage,
    response: ServerResponse,
  ): Promise<Observable<FrameBatch>> {
    const { streams, db } = this;
    const { turn: submitted, sessionId } = await this.#submit(call, message);
    response.setHeader('X-Turn-Disposition', describeDisposition(submitted.disposition));
    const turn = await getTurn(db, submitted.turnId);
    nameIds(response, turn.id, sessionId);
    if (submitted.disposition.type === 'steered') {
      // Events before a steered message are in a message that the client has.
      const { messageId: steered } = submitted.disposition;
      const wire = dialectOf(turn, { answered: [steered], from: 'answers' }, steered);
      return streams.ofSubmitted(submitted, wire);
    }
    // Answers that a repeated turn had meanwhile do not end this stream.
    const isOld = submitted.disposition.type === 'repeated';
    const answered = isOld ? await findDecided(db, turn.id) : [];
    return streams.ofSubmitted(submitted, dialectOf(turn, { answered, from: 'turn' }));
  }

  async #submit(
    { asked, principal, idempotencyKey }: AiSdkChat,
    message: UserMessage,
  ): Promise<{ turn: SubmittedTurn; sessionId: string }> {
    const { turns, store } = this;
    const { chatId, agent, projectRoot, opts } = asked;
    const persona = agent === undefined ? undefined : await this.#findAgent(agent);
    const { id: sessionId } = await openNamedSession(this.#threads(), {
      principal,
      origin: 'ai-sdk',
      name: chatId,
      persona: persona ?? defaultPersona,
      projectRoot,
    });
    const files = await storeFiles(store, message.files);
    try {
      const turn = await turns.submit({
        sessionId,
        principal,
        message: message.text,
        // A page that is reloaded comes back.
        opts: { onDisconnect: 'continue', ...opts, ...(persona === undefined ? {} : { persona }) },
        attachments: [],
        files,
        idempotencyKey: idempotencyKey ?? message.key,
        asAgent: persona !== undefined,
        wireMode: 'direct',
      });
      return { turn, sessionId };
    } catch (error) {
      throw isTypedError(error, 'TURN_IN_PROGRESS') ? chatBusy(chatId) : error;
    }
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
    after?: string,
  ): Promise<Observable<FrameBatch>> {
    nameIds(response, turn.id, turn.sessionId);
    return this.streams.after(turn.id, after, dialectOf(turn, range));
  }

  #find({ chatId, principal }: NamedChat) {
    return findNamedSession(this.#threads(), { principalId: principal.id, name: chatId });
  }

  async #findNamed(sessionId: string, lastEventId: string): Promise<TurnRow> {
    const turnId = lastEventId.split(':', 1)[0] ?? '';
    const turn = await getTurn(this.db, turnId);
    if (turn.sessionId !== sessionId) throw turnNotFound(turnId);
    return turn;
  }

  #threads(): NamedSessionDeps {
    const { sessions, projectRoots } = this;
    return { sessions, projectRoots };
  }
}

/** @param steered id of the message that the answer is to, where its turn ran before it. */
function dialectOf(
  { id: turnId, sessionId, options }: TurnRow,
  range: Omit<AiSdkRange, 'clientTools'>,
  steered?: string,
) {
  const clientTools = (options.options.clientTools ?? []).map(({ name }) => name);
  const messageId =
    steered === undefined ? assistantMessageId(turnId) : `${assistantMessageId(turnId)}:${steered}`;
  const ids = { sessionId, turnId, messageId };
  return aiSdkDialect(ids, { ...range, clientTools });
}

function nameIds(response: ServerResponse, turnId: string, sessionId: string): void {
  response.setHeader('X-Vercel-AI-UI-Message-Stream', 'v1');
  response.setHeader('X-Turn-Id', turnId);
  response.setHeader('X-Session-Id', sessionId);
}

async function storeFiles(
  store: Pick<BlobStore, 'put'>,
  files: readonly FilePart[],
): Promise<ReceivedFile[]> {
  const stored: ReceivedFile[] = [];
  for (const { bytes, filename, mediaType } of files) {
    const blob = await store.put(inOne(bytes));
    stored.push({ name: cleanName(filename, mediaType), ...blob });
  }
  return stored;
}

async function* inOne(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
