import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { Authenticator } from '../access/authenticator.js';
import { BoardAccess } from './board-access.js';
import { BOARD_SESSION_MS } from '../turn/queue/board-sessions.js';
import { KeyStore } from '../access/key-store.js';
import { KnownKeys } from '../access/known-keys.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { QUEUE_BOARDS, type QueueBoard, type QueueBoards } from '../turn/queue/queue-board.js';

/** Path of the queue's job board. */
export const BOARD_PATH = '/admin/queues';
/** The console's page about the queue, which exists even without a board. */
const QUEUE_PAGE = '/queue';

/**
 * Policy of the board's page, a third party's: it has inline styles, and asks for a font of another
 * site.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface BoardSession {
  token: string;
  /** ISO-8601. */
  expiresAt: string;
}

/** The board of the queue's jobs, where the queue has one. */
@Injectable()
export class BoardService {
  #opening: Promise<QueueBoard> | undefined;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly authenticator: Authenticator,
    private readonly keys: KnownKeys,
    private readonly store: KeyStore,
    /** Absent where the queue has no board. */
    @Optional() @Inject(QUEUE_BOARDS) private readonly boards?: QueueBoards,
  ) {}

  get hasPages(): boolean {
    return this.boards !== undefined;
  }

  /** @param keyId null: the caller has no key, and needs none for the board. */
  async openSession(keyId: string | null): Promise<{ url: string; session?: BoardSession }> {
    if (this.boards === undefined) return { url: QUEUE_PAGE };
    if (keyId === null) return { url: BOARD_PATH };
    const token = await this.boards.sessions.open(keyId);
    const expiresAt = new Date(this.clock.now() + BOARD_SESSION_MS).toISOString();
    return { url: BOARD_PATH, session: { token, expiresAt } };
  }

  /**
   * Serves a request for the board, or for a part of it.
   *
   * @throws TypedError: see `BoardAccess.check`.
   */
  async show(
    request: IncomingMessage & { originalUrl: string },
    response: ServerResponse,
    next: (error?: unknown) => void,
  ): Promise<void> {
    const { boards, authenticator, keys, store, clock } = this;
    if (boards === undefined) {
      response.writeHead(302, { Location: QUEUE_PAGE }).end();
      return;
    }
    const { method = 'GET', originalUrl: url, rawHeaders, socket } = request;
    const address = socket.remoteAddress ?? '';
    await new BoardAccess({ authenticator, keys, store, clock, sessions: boards.sessions }).check({
      method,
      url,
      rawHeaders,
      address,
    });
    const show = await (this.#opening ??= boards.open(BOARD_PATH));
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('Cache-Control', 'private, no-cache');
    request.url = url.slice(BOARD_PATH.length).replace(/^(?!\/)/, '/');
    show(request, response, (error) => {
      request.url = url;
      next(error);
    });
  }
}
