import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Cursor, OnEvents, TurnEvent } from '../../events/face.js';
import { type FrameStream, streamFrames } from '../../http/face.js';
import {
  clientLeft,
  type ConversationService,
  isAccepted,
  queueUnavailable,
  type ResumableTurn,
  type SubmittedTurn,
  TurnService,
} from '../../turn/face.js';
import { compact } from '../../platform/face.js';
import { type AnswerFold, type Dialect, TurnEncoder } from '../framing/face.js';

interface StreamRange {
  /** The cursor after which the stream goes on. Absent: from the turn's first event. */
  after?: Cursor | undefined;
  mayBeEmpty?: boolean;
}

/** Turns as a wire sends them: as streams of its frames, or whole. */
@Injectable()
export class TurnStreams {
  constructor(private readonly turns: TurnService) {}

  /**
   * The frames of a turn that was submitted, from its first; also of one that was there before.
   *
   * @throws TypedError STREAM_EXPIRED 410 for one whose events are no longer kept.
   */
  async ofSubmitted(turn: SubmittedTurn, dialect: Dialect<unknown>): Promise<FrameStream> {
    if (isAccepted(turn)) return this.#stream(turn, dialect);
    const rest = await this.turns.findRest(turn.turnId, undefined);
    return this.#stream({ ...rest, ...compact({ waking: turn.waking }) }, dialect);
  }

  /**
   * The answer of a turn that was submitted, once the turn has ended; undefined where its session was deleted
   * meanwhile.
   *
   * @throws TypedError STREAM_EXPIRED 410 for a turn whose events are no longer kept, those of the fold;
   *   QUEUE_UNAVAILABLE 503 for one that no worker could be told of; ClientGoneError for a client that left before.
   */
  async whole<Answer>(
    submitted: SubmittedTurn,
    fold: AnswerFold<unknown, Answer>,
    response: ServerResponse,
  ): Promise<Answer | undefined> {
    const { turns } = this;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const turn = isAccepted(submitted)
      ? submitted
      : await turns.findRest(submitted.turnId, undefined);
    let isStuck = false;
    // A stream has an event that says so.
    const unwatch = submitted.waking?.onStuck(() => {
      isStuck = true;
      gone.abort();
    });
    try {
      const answer = await foldToEnd((take) => turns.follow(turn, gone.signal, take), fold);
      if (answer !== undefined) return answer;
    } finally {
      unwatch?.();
    }
    if (isStuck) throw queueUnavailable(submitted.turnId);
    if (gone.signal.aborted) throw clientLeft();
    return undefined;
  }

  /**
   * The frames after a cursor; without one, from the first. A reader that has the last frame already is
   * answered with 204, at which an `EventSource` stops coming back.
   *
   * @throws see `TurnService.findRest`.
   */
  async after(
    turnId: string,
    cursor: string | undefined,
    dialect: Dialect<unknown>,
  ): Promise<FrameStream> {
    const rest = await this.turns.findRest(turnId, cursor);
    // On some wires a stream is over where its turn waits for people.
    const isIncluded = rest.isEnded || (rest.isParked && dialect.isOver !== undefined);
    const mayBeEmpty = isIncluded && rest.after !== undefined;
    return this.#stream(rest, dialect, { after: rest.after, mayBeEmpty });
  }

  #stream(
    turn: SubmittedTurn | ResumableTurn,
    dialect: Dialect<unknown>,
    { after, mayBeEmpty = false }: StreamRange = {},
  ): FrameStream {
    const follow = (signal: AbortSignal, take: OnEvents) => this.turns.follow(turn, signal, take);
    const asides = this.turns.stallsOf(turn.turnId);
    return streamFrames(follow, new TurnEncoder(dialect, turn.turnId, after), {
      mayBeEmpty,
      asides,
    });
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

/** Names a turn and its session in the answer's headers. */
export function nameTurn(
  response: ServerResponse,
  { turnId, sessionId }: { turnId: string; sessionId: string },
): void {
  response.setHeader('X-Turn-Id', turnId);
  response.setHeader('X-Session-Id', sessionId);
}

/**
 * @param follow hands on the turn's events, until some were enough.
 * @returns undefined where the events stopped before the turn's end.
 */
export async function foldToEnd<State, Answer>(
  follow: (take: OnEvents) => Promise<void>,
  { initial, next, end, pause }: AnswerFold<State, Answer>,
): Promise<Answer | undefined> {
  let state = initial;
  let answer: Answer | undefined;
  await follow((events) => {
    for (const event of events) {
      state = next(state, event);
      answer = event.type === 'turn.ended' ? end(state, event) : pause?.(state);
      if (answer !== undefined) return true;
    }
    return false;
  });
  return answer;
}
