import { followTurn, type FollowState, type HarnessEvent } from './follow-turn.js';
import { route, type Transport } from '../transport/transport.js';
import type { CancelState, Disposition } from '../server-types.js';
import { emptyResult, foldResult, resultOf, type TurnResult } from './turn-result.js';

export interface FollowOptions {
  /** The id of the last event that is known. Default: the turn is read from its start. */
  after?: string | undefined;
  /** Stops the reading; the turn goes on. */
  signal?: AbortSignal | undefined;
}

/**
 * A turn, read event by event: `for await (const event of turn)`. A connection that breaks is made
 * anew; events are received only as fast as they are taken. A second loop goes on where the first one
 * was left. One loop at a time: `client.follow` makes a second reader.
 */
export class FollowedTurn implements AsyncIterable<HarnessEvent> {
  readonly turnId: string;
  #state = emptyResult;
  #isRead = false;
  readonly #transport: Transport;
  readonly #followState: FollowState;

  constructor(
    transport: Transport,
    turnId: string,
    { after, signal, connection }: FollowOptions & Pick<Partial<FollowState>, 'connection'> = {},
  ) {
    this.turnId = turnId;
    this.#transport = transport;
    this.#followState = {
      turnId,
      signal,
      connection,
      lastEventId: after,
      isOver: false,
      onEvent: (event) => (this.#state = foldResult(this.#state, event)),
    };
  }

  /** The id of the last event that was taken: `after` for a reader elsewhere. */
  get lastEventId(): string | undefined {
    return this.#followState.lastEventId;
  }

  /** @throws TurnpikeError; ConnectionLostError; the signal's reason. */
  async *[Symbol.asyncIterator](): AsyncGenerator<HarnessEvent, void, undefined> {
    if (this.#isRead) {
      throw new Error(
        `Turn ${this.turnId} is being read already. Make a second reader with client.follow('${this.turnId}').`,
      );
    }
    this.#isRead = true;
    try {
      yield* followTurn(this.#transport, this.#followState);
    } finally {
      this.#isRead = false;
    }
  }

  /**
   * Reads the turn to its end and returns its result. A turn that failed has a result, too: look at
   * `outcome`.
   *
   * @throws as the loop does; Error where the turn was followed from after its end.
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

  /** Asks the server to end the turn; its last events follow. May be called again. */
  interrupt(): Promise<CancelState> {
    const path = route`/api/harness/turns/${this.turnId}/interrupt`;
    return this.#transport.field('state', path, { method: 'POST' });
  }

  /** Closes the first connection where no loop has taken it over. */
  leave(): void {
    this.#followState.connection?.stallSignal.close();
    this.#followState.connection = undefined;
  }
}

/** A turn that this client submitted. */
export class Turn extends FollowedTurn {
  constructor(
    transport: Transport,
    /** The disposition of the turn: started, enqueued, interrupting, steered or repeated. */
    readonly disposition: Disposition,
    readonly sessionId: string,
    followed: { turnId: string } & FollowOptions & Pick<FollowState, 'connection'>,
  ) {
    super(transport, followed.turnId, followed);
  }
}
