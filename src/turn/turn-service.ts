import type { ServerResponse } from 'node:http';
import { lastArchived } from '../events/archive.js';
import { parseCursor, type Cursor } from '../events/cursor.js';
import type { TurnEvent } from '../events/turn-event.js';
import { TypedError } from '../errors/typed-error.js';
import type { Dialect } from '../wires/framing/dialect.js';
import { harnessDialect } from '../wires/harness/dialect/harness.js';
import { encodeTurn } from '../wires/framing/encode-turn.js';
import { writeStream } from '../http/write-stream.js';
import type { CancelState } from './lifecycle/turn-canceller.js';
import { checkCursor } from './stream/check-cursor.js';
import type { Presence } from './lifecycle/presence.js';
import type { SubmittedTurn, TurnSubmission } from './submit/turn-submission.js';
import { noActiveTurn, streamExpired } from './state/turn-errors.js';
import { findActiveTurn, getTurn, viewTurn } from './state/turn-lookup.js';
import type { TurnServices } from './state/turn-services.js';

type FollowedTurn = Omit<SubmittedTurn, 'disposition'>;

/** Turns as clients see them. */
export class TurnService {
  #draining = false;

  constructor(
    private readonly services: TurnServices,
    private readonly presence: Presence,
  ) {}

  /** @throws TypedError: see `TurnSubmitter`; SHUTTING_DOWN 503 while the server stops. */
  async submit(submission: TurnSubmission): Promise<SubmittedTurn> {
    if (this.#draining) throw shuttingDown();
    const { processId } = this.presence;
    const { submitter } = this.services;
    const turn = await submitter.submit({ ...submission, readerProcess: processId });
    if (turn.onDisconnect === 'cancel' && isAccepted(turn)) this.presence.expect(turn.turnId);
    return turn;
  }

  /**
   * The turn's events, from the first to the last, or until `signal` aborts; until then, whoever
   * takes them is a reader of the turn.
   *
   * @param isNew it was just submitted: what was said of it is in the log.
   */
  async *follow(
    { turnId, onDisconnect, onBegun }: FollowedTurn,
    signal: AbortSignal,
    isNew = true,
  ): AsyncGenerator<readonly TurnEvent[]> {
    const { services, presence } = this;
    const leave = onDisconnect === 'cancel' ? presence.join(turnId) : () => undefined;
    try {
      for await (const events of services.follower.follow(turnId, signal, isNew)) {
        onBegun?.();
        if (events.at(-1)?.type === 'turn.ended') presence.forget(turnId);
        yield events;
      }
    } finally {
      leave();
    }
  }

  /**
   * Writes the frames of a turn that was submitted, from its first; also of one that was there before.
   *
   * @throws TypedError STREAM_EXPIRED 410 for one whose events are no longer kept.
   */
  streamSubmitted(
    turn: SubmittedTurn,
    response: ServerResponse,
    dialect?: Dialect<unknown>,
  ): Promise<void> {
    if (!isAccepted(turn)) return this.streamAfter(turn.turnId, response, undefined, dialect);
    return this.stream(turn, response, undefined, dialect);
  }

  /**
   * Writes the turn's frames after a cursor, from the `start`, or of one that was just submitted.
   * Resolves when the reader has the last one or has left.
   */
  stream(
    turn: FollowedTurn,
    response: ServerResponse,
    after?: Cursor | 'start',
    dialect: Dialect<unknown> = harnessDialect,
  ): Promise<void> {
    return this.#write(turn, response, { after, dialect, mayBeEmpty: false });
  }

  #write(
    turn: FollowedTurn,
    response: ServerResponse,
    {
      after,
      dialect,
      mayBeEmpty,
    }: { after: Cursor | 'start' | undefined; dialect: Dialect<unknown>; mayBeEmpty: boolean },
  ): Promise<void> {
    const follow = (signal: AbortSignal) => this.follow(turn, signal, after === undefined);
    const encode = encodeTurn(dialect, turn.turnId, after === 'start' ? undefined : after);
    const { clock, logger, settings } = this.services;
    const deps = { clock, logger, deadlineMs: settings.readerTimeoutMs };
    return writeStream(response, { follow, encode, isOver: encode.isOver, mayBeEmpty }, deps);
  }

  /**
   * Writes what came after a cursor. A reader that has the last frame already is answered with 204, at
   * which an `EventSource` stops coming back.
   *
   * @throws TypedError TURN_NOT_FOUND 404, STREAM_EXPIRED 410, INVALID_REQUEST 400 for a cursor of
   *   another turn, past the turn's end, or of an attempt that it has not had.
   */
  async streamAfter(
    turnId: string,
    response: ServerResponse,
    cursor: string | undefined,
    dialect: Dialect<unknown> = harnessDialect,
  ): Promise<void> {
    const { db } = this.services;
    const turn = await getTurn(db, turnId);
    const isEnded = turn.endedAt !== null;
    const last = isEnded ? await lastArchived(db, turnId) : undefined;
    if (isEnded && last === undefined) throw streamExpired(turnId, turn.sessionId);
    const after = cursor === undefined ? 'start' : parseCursor(turnId, cursor);
    if (after !== 'start') checkCursor(turn, after, last);
    const { onDisconnect } = turn.options.options;
    response.setHeader('X-Turn-Id', turnId);
    // On some wires a stream is over where its turn waits for people.
    const isSaid = isEnded || (turn.status === 'waiting' && dialect.isOver !== undefined);
    const mayBeEmpty = isSaid && after !== 'start';
    return this.#write({ turnId, onDisconnect }, response, { after, dialect, mayBeEmpty });
  }

  async get(turnId: string) {
    return viewTurn(await getTurn(this.services.db, turnId));
  }

  /**
   * Asks for the end of the session's turn. Asking again while it ends is fine.
   *
   * @param by the principal who asks.
   * @throws TypedError SESSION_NOT_FOUND 404 for no session, and where no turn is active.
   */
  async interrupt(sessionId: string, by: string): Promise<{ turnId: string; state: CancelState }> {
    await this.services.sessions.get(sessionId);
    const active = await findActiveTurn(this.services.db, sessionId);
    if (active === undefined) throw noActiveTurn(sessionId);
    return { turnId: active.id, state: await this.interruptTurn(active.id, by) };
  }

  /** Asks for the end of a turn, whatever its status. @returns `ended` for a turn that had ended. */
  async interruptTurn(turnId: string, by: string): Promise<CancelState> {
    const { db, audit } = this.services;
    const turn = await getTurn(db, turnId);
    const isEnded = turn.endedAt !== null;
    const state = isEnded ? 'ended' : await this.services.canceller.cancel(turnId, 'interrupt');
    await audit.write({ principalId: by, action: 'turn.interrupted', subject: turnId });
    return state;
  }

  /** @param by the principal who deletes it. @throws see `SessionCloser`. */
  deleteSession(sessionId: string, by: string): Promise<void> {
    return this.services.closer.close(sessionId, by);
  }

  /** Refuses new turns from now on. */
  drain(): void {
    this.#draining = true;
  }
}

/** Whether it is a turn of its own: not one that was there before. */
function isAccepted({ disposition }: SubmittedTurn): boolean {
  return disposition.type !== 'repeated' && disposition.type !== 'steered';
}

function shuttingDown(): TypedError {
  return new TypedError('SHUTTING_DOWN', {
    message: 'The server is stopping. Send the turn again in a few seconds.',
    headers: { 'Retry-After': '5' },
  });
}
