import type { FollowedTurn, HarnessEvent } from '../client/turnpike-client.js';
import { CallAnswerer, type DeferredCall } from './answer-calls.js';
import { endTurn } from './interrupt-turn.js';
import { describeStart } from './describe-start.js';
import { TurnFold } from './fold-turn.js';
import { MessageQueue } from './message-queue.js';
import type { QueryState } from './query-state.js';
import { rejectOn } from './read-prompt.js';
import type { SDKMessage, SDKResultMessage } from './sdk-messages.js';
import { EndFold, toResult, withoutTurn } from './turn-end.js';

/** A turn that is being read. */
interface Reading {
  state: QueryState;
  turn: FollowedTurn;
  fold: TurnFold;
  answerer: CallAnswerer;
  events: AsyncGenerator<HarnessEvent, void, undefined>;
  queue: MessageQueue<SDKMessage>;
  /** Set with the turn's last message. */
  result?: SDKResultMessage;
  isLeft: boolean;
}

/**
 * Reads a turn to its end, and answers what it asks, also while its reader takes no message. Left before its end, the turn
 * ends.
 *
 * @param isAdopted whether a process that is gone began it.
 * @returns its result.
 */
export async function* readTurn(
  state: QueryState,
  turn: FollowedTurn,
  isAdopted: boolean,
): AsyncGenerator<SDKMessage, SDKResultMessage, undefined> {
  const partial = state.options.includePartialMessages === true;
  const fold = new TurnFold({ turnId: turn.turnId, sessionId: state.sessionId, partial });
  const reading: Reading = {
    state,
    turn,
    fold,
    answerer: new CallAnswerer(state, fold, isAdopted),
    events: turn[Symbol.asyncIterator](),
    queue: new MessageQueue(),
    isLeft: false,
  };
  state.turn = turn;
  const { queue, events } = reading;
  try {
    readEvents(reading).then(
      () => queue.end(),
      (error: unknown) => queue.fail(error),
    );
    yield* queue.read();
    // Who interrupted hears of it first, from the server; a fault of it is theirs.
    await Promise.allSettled([state.interrupting]);
  } finally {
    reading.isLeft = true;
    reading.answerer.end();
    [state.turn, state.interrupting] = [undefined, undefined];
    if (reading.result === undefined) {
      leave(events);
      await endTurn(turn);
    }
  }
  if (reading.result !== undefined) return reading.result;
  throw new Error(`The events of turn ${turn.turnId} have no end`);
}

/** Tells the reader each message, and sets the result. @throws what ends the query. */
async function readEvents(reading: Reading): Promise<void> {
  const { state, turn, fold, answerer, events, queue } = reading;
  const { sessionId, leaving, total } = state;
  const ending = new EndFold();
  const aborted = rejectOn(leaving.signal);
  const deferred = answerer.deferred.then((call) => ({ call }));
  try {
    while (true) {
      const next = await Promise.race([events.next(), answerer.failed, aborted.rejected, deferred]);
      if ('call' in next) {
        reading.result = deferredResult(reading, next.call);
        leave(events);
        return;
      }
      if (next.done === true || reading.isLeft) return;
      const { value: event } = next;
      if (event.event === 'session:init')
        queue.push(await describeStart(state, turn.turnId, event));
      for (const message of fold.take(event)) queue.push(message);
      answerer.take(event);
      const end = ending.take(event);
      if (end !== undefined) reading.result = toResult(end, { fold, sessionId, total });
    }
  } finally {
    aborted.end();
  }
}

/** Closes a reader, without waiting for the event that it awaits, which may come no sooner than the turn's end. */
function leave(events: Reading['events']): void {
  // It rejects with the reason for which the turn was left, which is known.
  events.return().catch(() => undefined);
}

/** The result of a turn whose call a hook deferred: it waits at the server. */
function deferredResult({ state, fold }: Reading, call: DeferredCall): SDKResultMessage {
  const subtype = 'success';
  const told = { subtype, is_error: false, result: '', terminal_reason: 'tool_deferred' } as const;
  return {
    ...withoutTurn(told, { ...state, number: fold.calls.size }),
    num_turns: 1 + fold.results,
    permission_denials: fold.denials,
    deferred_tool_use: call,
  };
}
