import type { ServerResponse } from 'node:http';
import { hasArchive } from '../events/archive.js';
import { parseCursor, type Cursor } from '../events/cursor.js';
import { TypedError } from '../platform/typed-error.js';
import { harnessDialect } from '../wire/dialects/harness.js';
import { encodeTurn } from '../wire/encode-turn.js';
import { writeStream } from '../wire/write-stream.js';
import { cancelTurn, type CancelState } from './cancel-turn.js';
import { closeSession } from './close-session.js';
import { followTurn } from './follow-turn.js';
import { loadSessionTurns } from './load-turn.js';
import type { Presence } from './presence.js';
import { submitTurn, type SubmittedTurn, type TurnSubmission } from './submit-turn.js';
import { noActiveTurn, streamExpired } from './turn-errors.js';
import { findActiveTurn, getTurn, viewTurn } from './turn-lookup.js';
import type { TurnServices } from './turn-services.js';
import { viewMessages, type MessageView } from './view-messages.js';

/** Turns as clients see them. */
export class TurnService {
  #draining = false;

  constructor(
    private readonly services: TurnServices,
    private readonly presence: Presence,
  ) {}

  /** @throws TypedError: see `submitTurn`; SHUTTING_DOWN 503 while the server stops. */
  async submit(submission: TurnSubmission): Promise<SubmittedTurn> {
    if (this.#draining) throw shuttingDown();
    return submitTurn(this.services, submission);
  }

  /**
   * Writes the turn's frames after a cursor, from the `start`, or of one that was just submitted.
   * Resolves when the reader has the last one or has left; until then it is a reader of the turn.
   */
  stream(
    { turnId, onDisconnect, onBegun }: SubmittedTurn,
    response: ServerResponse,
    after?: Cursor | 'start',
  ): Promise<void> {
    const { services, presence } = this;
    const follow = async function* (signal: AbortSignal) {
      const leave =
        onDisconnect === 'cancel' ? presence.join(turnId, after !== undefined) : () => undefined;
      try {
        for await (const events of followTurn(services, turnId, signal, after === undefined)) {
          onBegun?.();
          if (events.at(-1)?.type === 'turn.ended') presence.forget(turnId);
          yield events;
        }
      } finally {
        leave();
      }
    };
    const encode = encodeTurn(harnessDialect, turnId, after === 'start' ? undefined : after);
    const { clock, logger, settings } = services;
    const deps = { clock, logger, deadlineMs: settings.readerTimeoutMs };
    return writeStream(response, { follow, encode }, deps);
  }

  /**
   * @throws TypedError TURN_NOT_FOUND 404, STREAM_EXPIRED 410, INVALID_REQUEST 400 for a cursor of
   *   another turn.
   */
  async streamAfter(turnId: string, response: ServerResponse, cursor: string | undefined) {
    const turn = await getTurn(this.services.db, turnId);
    if (turn.endedAt !== null && !(await hasArchive(this.services.db, turnId))) {
      throw streamExpired(turnId, turn.sessionId);
    }
    const { onDisconnect } = turn.options.options;
    const after = cursor === undefined ? 'start' : parseCursor(turnId, cursor);
    response.setHeader('X-Turn-Id', turnId);
    return this.stream({ turnId, onDisconnect }, response, after);
  }

  async get(turnId: string) {
    return viewTurn(await getTurn(this.services.db, turnId));
  }

  async messages(sessionId: string): Promise<MessageView[]> {
    await this.services.sessions.get(sessionId);
    return viewMessages(await loadSessionTurns(this.services.db, sessionId));
  }

  /** Asks for the end of the session's turn. Asking again while it ends is fine. */
  async interrupt(sessionId: string): Promise<{ turnId: string; state: CancelState }> {
    await this.services.sessions.get(sessionId);
    const active = await findActiveTurn(this.services.db, sessionId);
    if (active === undefined) throw noActiveTurn(sessionId);
    return { turnId: active.id, state: await cancelTurn(this.services, active.id, 'interrupt') };
  }

  deleteSession(sessionId: string): Promise<void> {
    return closeSession(this.services, sessionId);
  }

  /** Refuses new turns from now on. */
  drain(): void {
    this.#draining = true;
  }
}

function shuttingDown(): TypedError {
  return new TypedError('SHUTTING_DOWN', {
    status: 503,
    message: 'The server is stopping. Send the turn again in a few seconds.',
    headers: { 'Retry-After': '5' },
  });
}
