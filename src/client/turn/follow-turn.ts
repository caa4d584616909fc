import { ConnectionLostError, isFinal } from '../transport/client-errors.js';
import { route, unreadableAnswer, type Transport } from '../transport/transport.js';
import { RetryPolicy } from '../transport/retry-policy.js';
import type { HarnessFrames } from '../server-types.js';
import { StallSignal, receiveFrames, type ReceivedFrame } from '../transport/receive-frames.js';

/** A reader's progress in a turn. One `followTurn` at a time goes on from it. */
export interface FollowState {
  readonly turnId: string;
  readonly signal: AbortSignal | undefined;
  /** An open connection to begin with, and its signal. */
  connection: { response: Response; stallSignal: StallSignal } | undefined;
  /** The id of the last event that was handed out. */
  lastEventId: string | undefined;
  isOver: boolean;
  onEvent(event: HarnessEvent): void;
}

/**
 * The events of a turn after `lastEventId`, to its last one, over as many connections as it takes. Each
 * connection goes on after the last event that was handed out: no event is lost, none comes twice.
 *
 * @throws TurnpikeError when the server will not go on; ConnectionLostError when it was
 *   silent for `maxSilenceMs`; the signal's reason.
 */
export async function* followTurn(
  transport: Transport,
  state: FollowState,
): AsyncGenerator<HarnessEvent, void, undefined> {
  const retryPolicy = new RetryPolicy(transport, state.signal);
  while (!state.isOver) {
    state.signal?.throwIfAborted();
    let cause: unknown;
    const stallSignal = state.connection?.stallSignal ?? new StallSignal(transport, state.signal);
    try {
      const body = await openBody(transport, state, stallSignal);
      // 204: the turn has ended, and `lastEventId` is its last event.
      if (body === undefined) {
        state.isOver = true;
        return;
      }
      for await (const events of receiveEvents(body, stallSignal)) {
        retryPolicy.recordContact();
        for (const event of events) {
          // A chunk may have many events: an abort between two of them takes effect here.
          state.signal?.throwIfAborted();
          retryPolicy.recordProgress();
          // The stream goes on after the last event, with another token.
          if (event.event === 'session:reauthenticate') continue;
          // What is said of the moment has no id.
          if (event.id !== '') state.lastEventId = event.id;
          state.isOver = event.event === 'process:exit';
          state.onEvent(event);
          yield event;
        }
        // The time that the caller took for these events is not the server's silence.
        retryPolicy.recordContact();
        if (state.isOver) return;
      }
    } catch (error) {
      state.signal?.throwIfAborted();
      if (isFinal(error)) throw error;
      cause = error;
    } finally {
      stallSignal.close();
    }
    await retryPolicy.wait(cause, () => lostTurn(transport, state, cause));
  }
}

async function openBody(
  transport: Transport,
  state: FollowState,
  stallSignal: StallSignal,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const { turnId, connection, lastEventId } = state;
  state.connection = undefined;
  const opening = (): Promise<Response> =>
    transport.open({
      path: route`/api/harness/turns/${turnId}/events`,
      headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
      signal: stallSignal.signal,
    });
  const response = connection?.response ?? (await stallSignal.guard(opening()));
  if (response.status === 204) return undefined;
  // A proxy that answers every request with 200 would be asked for ever.
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream) throw unreadableAnswer(response.status, 'The answer is not an event stream');
  if (response.body === null) throw new Error('The answer has no body');
  return response.body;
}

function lostTurn(
  transport: Transport,
  { turnId, lastEventId }: FollowState,
  cause: unknown,
): Error {
  const seconds = Math.round(transport.maxSilenceMs / 1_000);
  const after = lastEventId === undefined ? '' : ` after ${lastEventId}`;
  return new ConnectionLostError(
    `The server at ${transport.url} gave no sign of life for ${seconds} s. Turn ${turnId} may go on: follow it again${after}.`,
    { url: transport.url, cause, turnId, lastEventId },
  );
}

/** Frames of subagents: a prefix before the name, and the ids of their turn and call. */
type SubagentFrames = {
  [Name in keyof HarnessFrames as `subagent:${Name}`]: HarnessFrames[Name] & {
    childTurnId: string;
    parentToolUseId: string;
  };
};

/** Event name → the fields of its data, with the frames of subagents. */
export type TurnEvents = HarnessFrames & SubagentFrames;

/**
 * An event of a turn, a union by `event`. A newer server may send unknown names: a `switch` ignores
 * them.
 */
export type HarnessEvent = {
  [Name in keyof TurnEvents]: {
    event: Name;
    /** The event's cursor: pass it as `after` to go on behind it. */
    id: string;
    data: TurnEvents[Name];
  };
}[keyof TurnEvents];

/**
 * The events of one connection, as `receiveFrames` has its frames.
 *
 * @throws the error that broke the connection; Error for data that is no JSON object.
 */
async function* receiveEvents(
  body: ReadableStream<Uint8Array>,
  stallSignal: StallSignal,
): AsyncGenerator<HarnessEvent[], void, undefined> {
  for await (const frames of receiveFrames(body, stallSignal)) yield frames.map(toEvent);
}

/** Validated before the event counts as received. */
function toEvent({ id, event, data: text }: ReceivedFrame): HarnessEvent {
  const data: unknown = JSON.parse(text);
  if (typeof data === 'object' && data !== null) return { id, event, data } as HarnessEvent;
  throw new Error('An event came with data that is no object');
}
