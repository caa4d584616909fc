import type { Actor, Principal } from '../access/principal.js';
import { lastArchived } from '../events/archive.js';
import {
  compareCursors,
  formatCursor,
  parseCursor,
  type Cursor,
  type EventCursor,
} from '../events/cursor.js';
import type { OnEvents } from '../events/turn-event.js';
import { TypedError, invalidRequest } from '../errors/typed-error.js';
import { Inject, Injectable } from '@nestjs/common';
import { AuditLog } from '../access/audit-log.js';
import { Metrics } from '../telemetry/metrics.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { TurnCanceller, type CancelState } from './lifecycle/turn-canceller.js';
import { TurnFollower, type TurnStage } from './lifecycle/turn-follower.js';
import { RepeatedRequests, type EarlierTry } from './submit/repeated-requests.js';
import { TurnSubmitter } from './submit/turn-submitter.js';
import { Presence } from './lifecycle/presence.js';
import type { SubmittedTurn, TurnSubmission } from './submit/turn-submission.js';
import { noActiveTurn, streamExpired } from './state/turn-errors.js';
import { findActiveTurn, findSessionAndTurn, getTurn, type TurnRow } from './state/turn-row.js';
import { viewTurn, type TurnRecordDto } from './turn-record.dto.js';

/** A turn after a cursor. */
export interface ResumableTurn extends Omit<SubmittedTurn, 'disposition'> {
  /** The cursor to read after; absent: the turn is read from its start. */
  after: Cursor | undefined;
  isEnded: boolean;
  /** Whether the turn is parked. */
  isParked: boolean;
}

/** Turns as clients see them. */
@Injectable()
export class TurnService {
  #draining = false;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly audit: AuditLog,
    private readonly submitter: TurnSubmitter,
    private readonly follower: TurnFollower,
    private readonly canceller: TurnCanceller,
    private readonly presence: Presence,
    private readonly metrics: Metrics,
    private readonly repeats: RepeatedRequests,
  ) {}

  /** @throws TypedError: see `TurnSubmitter`; SHUTTING_DOWN 503 while the server stops. */
  async submit(submission: TurnSubmission): Promise<SubmittedTurn> {
    if (this.#draining) throw shuttingDown();
    const { presence, metrics, repeats } = this;
    const { processId } = presence;
    const turn = await repeats.once(submission, (tryKey) =>
      this.submitter.submit({
        ...submission,
        tryKey,
        readerProcess: processId,
        isReadHere: (turnId) => presence.has(turnId),
      }),
    );
    if (isAccepted(turn)) presence.expect(turn.turnId);
    if (turn.origin !== undefined) metrics.turnsAccepted.inc({ wire: turn.origin });
    return turn;
  }

  /** The turn of an earlier try of a request, if it comes again. */
  findEarlierTry(principal: Principal): Promise<EarlierTry | undefined> {
    return this.repeats.find(principal);
  }

  /** See `TurnSubmitter.revise`. */
  revise(...given: Parameters<TurnSubmitter['revise']>): ReturnType<TurnSubmitter['revise']> {
    return this.submitter.revise(...given);
  }

  /**
   * Hands on the turn's events, from the first to the last, or until some were enough or `signal` aborts; until
   * then, the caller counts as a reader of the turn.
   *
   * @param turn a turn that was accepted just now, or the rest of one.
   */
  async follow(
    turn: SubmittedTurn | ResumableTurn,
    signal: AbortSignal,
    take: OnEvents,
  ): Promise<void> {
    const { follower, presence, metrics } = this;
    const { turnId, waking } = turn;
    let onBegun = waking?.onBegun;
    const takeSeen: OnEvents = (events) => {
      // The call is made once: it cancels timers, and would cost each batch as much as its frames. Events of attempt 0
      // are of the wait.
      if (onBegun !== undefined && (events.at(-1)?.attempt ?? 0) > 0) {
        onBegun();
        onBegun = undefined;
      }
      if (events.at(-1)?.type === 'turn.ended') presence.forget(turnId);
      return take(events);
    };
    const stage = stageOf(turn);
    // The absence of readers matters to a turn that has not ended.
    const leave = stage === 'ended' || signal.aborted ? undefined : presence.join(turnId);
    try {
      await follower.follow(turnId, signal, takeSeen, {
        stage,
        onMissed: waking?.onStuck,
        onBackfilled: (source) => metrics.streamResumes.inc({ source }),
      });
    } finally {
      leave?.();
    }
  }

  /** See `TurnFollower.stallsOf`. */
  stallsOf(turnId: string): ReturnType<TurnFollower['stallsOf']> {
    return this.follower.stallsOf(turnId);
  }

  /**
   * The rest of a turn for a reader with a cursor, or with none.
   *
   * @throws TypedError TURN_NOT_FOUND 404, STREAM_EXPIRED 410, INVALID_REQUEST 400 for a cursor of
   * another turn, past the turn's end, or of an attempt that it has not had.
   */
  async findRest(turnId: string, cursor: string | undefined): Promise<ResumableTurn> {
    const { db } = this;
    const turn = await getTurn(db, turnId);
    const isEnded = turn.endedAt !== null;
    const last = isEnded ? await lastArchived(db, turnId) : undefined;
    if (isEnded && last === undefined) throw streamExpired(turnId, turn.sessionId);
    const after = cursor === undefined ? undefined : parseCursor(turnId, cursor);
    if (after !== undefined) checkCursor(turn, after, last);
    const { onDisconnect } = turn.options.options;
    return { turnId, onDisconnect, after, isEnded, isParked: turn.status === 'waiting' };
  }

  async get(turnId: string): Promise<TurnRecordDto> {
    return viewTurn(await getTurn(this.db, turnId));
  }

  /**
   * Asks for the end of the session's turn. Asking again while it ends is fine.
   *
   * @param by the principal who asks.
   * @throws TypedError SESSION_NOT_FOUND 404 for no session, and where no turn is active.
   */
  async interrupt(sessionId: string, by: Actor): Promise<{ turnId: string; state: CancelState }> {
    await findSessionAndTurn(this.db, sessionId);
    const active = await findActiveTurn(this.db, sessionId);
    if (active === undefined) throw noActiveTurn(sessionId);
    return { turnId: active.id, state: await this.interruptTurn(active.id, by) };
  }

  /** Asks for the end of a turn, whatever its status. @returns `ended` for a turn that had ended. */
  async interruptTurn(turnId: string, by: Actor): Promise<CancelState> {
    const { db, audit } = this;
    const turn = await getTurn(db, turnId);
    const isEnded = turn.endedAt !== null;
    const state = isEnded ? 'ended' : await this.canceller.cancel(turnId, 'interrupt');
    await audit.write({ by, action: 'turn.interrupted', subject: turnId });
    return state;
  }

  /** @param by the principal who deletes it. @throws see `TurnCanceller`. */
  deleteSession(sessionId: string, by: Actor): Promise<void> {
    return this.canceller.closeSession(sessionId, by);
  }

  /** Hears from now on of clients that left other processes. */
  start(): Promise<void> {
    return this.repeats.start();
  }

  /** Refuses new turns from now on. */
  drain(): void {
    this.#draining = true;
    this.repeats.stop();
  }
}

/** Whether the submission made a turn, rather than find or steer an earlier one. */
export function isAccepted({ disposition }: SubmittedTurn): boolean {
  return disposition.type !== 'repeated' && disposition.type !== 'steered';
}

function stageOf(turn: SubmittedTurn | ResumableTurn): TurnStage {
  if ('disposition' in turn) return 'new';
  return turn.isEnded ? 'ended' : 'open';
}

function shuttingDown(): TypedError {
  return new TypedError('SHUTTING_DOWN', {
    message: 'The server is stopping. Send the turn again in a few seconds.',
  });
}

/**
 * Refuses a cursor that no reader of the turn can have. Of a turn that runs, a cursor ahead of its log
 * is fine: a log that lost its tail has readers ahead of it. Pure.
 *
 * @param last the last event of a turn that has ended.
 * @throws TypedError INVALID_REQUEST 400.
 */
export function checkCursor(
  { id: turnId, attempt }: Pick<TurnRow, 'id' | 'attempt'>,
  after: Cursor,
  last: EventCursor | undefined,
): void {
  const given = formatCursor(turnId, after);
  if (last !== undefined && compareCursors(after, last) > 0) {
    throw invalidRequest(
      `'${given}' is past the end of turn ${turnId}, whose last event is ${formatCursor(turnId, last)}. ` +
        'Read the turn from its start: send no cursor.',
      { turnId },
    );
  }
  if (last === undefined && after.attempt > attempt) {
    throw invalidRequest(
      `'${given}' is of an attempt that turn ${turnId} has not had. ` +
        'Send the id of the last frame you received, or none to read from the start.',
      { turnId },
    );
  }
}
