import { followTurn, type ReadingPlace } from './follow-turn.js';
import type { HarnessEvent } from './harness-event.js';
import type { Line } from './transport.js';
import type { CancelState, Disposition } from './server-types.js';
import { emptyResult, foldResult, resultOf, type TurnResult } from './turn-result.js';

export interface FollowOptions {
  /** The id of the last event that is known; without it, from the start. */
  after?: string | undefined;
  /** Ends the reading, not the turn. */
  signal?: AbortSignal | undefined;
}

/**
 * A turn, read event by event: `for await (const event of turn)`. Connections that break are made
 * anew; the server is read only as fast as events are taken. A loop that was left can be entered
 * again, and goes on where it was. One reader at a time: `follow` makes another one.
 */
export class FollowedTurn implements AsyncIterable<HarnessEvent> {
  readonly turnId: string;
  #state = emptyResult;
  #isRead = false;
  readonly #line: Line;
  readonly #place: ReadingPlace;

  constructor(
    line: Line,
    turnId: string,
    { after, signal, opened }: FollowOptions & Pick<Partial<ReadingPlace>, 'opened'> = {},
  ) {
    this.turnId = turnId;
    this.#line = line;
    this.#place = {
      turnId,
      signal,
      opened,
      lastEventId: after,
      isOver: false,
      onEvent: (event) => (this.#state = foldResult(this.#state, event)),
    };
  }

  /** The id of the last event that was taken; to be kept where reading goes on elsewhere. */
  get lastEventId(): string | undefined {
    return this.#place.lastEventId;
  }

  /** @throws TurnpikeError, ConnectionLostError; the signal's reason. */
  async *[Symbol.asyncIterator](): AsyncGenerator<HarnessEvent, void, undefined> {
    if (this.#isRead) {
      throw new Error(
        `Turn ${this.turnId} is being read already. Make a second reader with client.follow('${this.turnId}').`,
      );
    }
    this.#isRead = true;
    try {
      yield* followTurn(this.#line, this.#place);
    } finally {
      this.#isRead = false;
    }
  }

  /**
   * Reads what is left of the turn, and says what it came to. A turn that failed has a result, too:
   * look at `outcome`.
   *
   * @throws as reading does; Error where the turn was followed from after its end.
   */
  async result(): Promise<TurnResult> {
    const events = this[Symbol.asyncIterator]();
    while ((await events.next()).done !== true);
    const result = resultOf(this.turnId, this.#state);
    if (result !== undefined) return result;
    throw new Error(
      `Turn ${this.turnId} was followed from after its end: follow it from the start.`,
    );
  }

  /** Asks for its end, which comes as its last events. Again is fine. */
  async interrupt(): Promise<CancelState> {
    const path = `/api/harness/turns/${encodeURIComponent(this.turnId)}/interrupt`;
    const { state } = await this.#line.json<{ state: CancelState }>({ method: 'POST', path });
    return state;
  }

  /** Closes a connection that was opened and not read. What is being read ends with its loop. */
  leave(): void {
    this.#place.opened?.watched.close();
    this.#place.opened = undefined;
  }
}

/** A turn that was asked for. */
export class Turn extends FollowedTurn {
  constructor(
    line: Line,
    /** What became of the request. */
    readonly disposition: Disposition,
    readonly sessionId: string,
    followed: { turnId: string } & FollowOptions & Pick<ReadingPlace, 'opened'>,
  ) {
    super(line, followed.turnId, followed);
  }
}
