import type { ServerResponse } from 'node:http';
import { parseCursor, type Cursor } from '../events/cursor.js';
import { TypedError } from '../platform/typed-error.js';
import { harnessDialect } from '../wire/dialects/harness.js';
import { encodeTurn } from '../wire/encode-turn.js';
import { responseSink, type Sink } from '../wire/response-sink.js';
import { toObservable } from '../wire/to-observable.js';
import { cancelTurn } from './cancel-turn.js';
import { closeSession } from './close-session.js';
import { followTurn } from './follow-turn.js';
import { loadSessionTurns } from './load-turn.js';
import type { Presence } from './presence.js';
import { submitTurn, type TurnSubmission } from './submit-turn.js';
import { noActiveTurn } from './turn-errors.js';
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
  async submit(submission: TurnSubmission): Promise<string> {
    if (this.#draining) throw shuttingDown();
    const { turnId, onDisconnect } = await submitTurn(this.services, submission);
    // A client that left while the turn was set up never subscribes: its absence counts from here.
    if (onDisconnect === 'cancel') this.presence.expect(turnId);
    return turnId;
  }

  /** The turn's frames from the first one. Whoever subscribes is a reader of the turn. */
  stream(turnId: string, sink: Sink, after?: Cursor) {
    const { services, presence } = this;
    const follow = async function* (signal: AbortSignal) {
      const { options } = (await getTurn(services.db, turnId)).options;
      const leave = options.onDisconnect === 'cancel' ? presence.join(turnId) : () => undefined;
      try {
        for await (const events of followTurn(services, turnId, signal)) {
          if (events.at(-1)?.type === 'turn.ended') presence.forget(turnId);
          yield events;
        }
      } finally {
        leave();
      }
    };
    const encode = encodeTurn(harnessDialect, turnId, after);
    return toObservable({ follow, encode, sink, clock: services.clock });
  }

  /** @throws TypedError TURN_NOT_FOUND 404, INVALID_REQUEST 400 for a cursor of another turn. */
  async streamAfter(turnId: string, sink: Sink, cursor: string | undefined) {
    await getTurn(this.services.db, turnId);
    return this.stream(
      turnId,
      sink,
      cursor === undefined ? undefined : parseCursor(turnId, cursor),
    );
  }

  async get(turnId: string) {
    return viewTurn(await getTurn(this.services.db, turnId));
  }

  async messages(sessionId: string): Promise<MessageView[]> {
    await this.services.sessions.get(sessionId);
    return viewMessages(await loadSessionTurns(this.services.db, sessionId));
  }

  /** Asks for the end of the session's turn. Asking again while it ends is fine. */
  async interrupt(sessionId: string): Promise<void> {
    await this.services.sessions.get(sessionId);
    const active = await findActiveTurn(this.services.db, sessionId);
    if (active === undefined) throw noActiveTurn(sessionId);
    await cancelTurn(this.services, active.id, 'interrupt');
  }

  deleteSession(sessionId: string): Promise<void> {
    return closeSession(this.services, sessionId);
  }

  /** The sink of a reader's response. */
  sinkOf(response: ServerResponse): Sink {
    const { clock, logger, settings } = this.services;
    return responseSink(response, { clock, logger, deadlineMs: settings.readerTimeoutMs });
  }

  /** Refuses new turns from now on. */
  drain(): void {
    this.#draining = true;
    this.presence.close();
  }
}

function shuttingDown(): TypedError {
  return new TypedError('SHUTTING_DOWN', {
    status: 503,
    message: 'The server is stopping. Send the turn again in a few seconds.',
    headers: { 'Retry-After': '5' },
  });
}
