import { ConnectionLostError, TurnpikeError } from './client-errors.js';
import type { HarnessEvent } from './harness-event.js';
import { unreadable, type Line } from './transport.js';
import { Patience } from './retry-policy.js';
import { readEvents } from './read-events.js';
import type { TurnRecord } from './server-types.js';
import { WatchedSignal } from './watched-signal.js';

/** Where a reader is in a turn. It is read on from there, once at a time. */
export interface ReadingPlace {
  readonly turnId: string;
  readonly signal: AbortSignal | undefined;
  /** A connection that is open already, and its signal. */
  opened: { response: Response; watched: WatchedSignal } | undefined;
  /** The last event that was handed out. */
  lastEventId: string | undefined;
  isOver: boolean;
  onEvent(event: HarnessEvent): void;
}

/**
 * Events of a turn from a place on, to the last one, over as many connections as it takes: each goes
 * on after the last event that was handed out, so that none is lost and none comes twice.
 *
 * @throws TurnpikeError when the server will not go on; ConnectionLostError when it gave no sign of
 *   life for too long; the signal's reason.
 */
export async function* followTurn(
  line: Line,
  place: ReadingPlace,
): AsyncGenerator<HarnessEvent, void, undefined> {
  const patience = new Patience(line, place.signal);
  let knownEnded = false;
  while (!place.isOver) {
    place.signal?.throwIfAborted();
    let cause: unknown;
    let isEmpty = true;
    const watched =
      place.opened?.watched ?? new WatchedSignal(line.clock, line.stallMs, place.signal);
    try {
      const body = await openBody(line, place, watched);
      // Whoever follows from after the last event has them all.
      if (body === undefined) {
        place.isOver = true;
        return;
      }
      for await (const events of readEvents(body, watched)) {
        patience.heard();
        for (const event of events) {
          // One read brings many: who leaves among them is given no more.
          place.signal?.throwIfAborted();
          isEmpty = false;
          patience.progressed();
          place.lastEventId = event.id;
          place.isOver = event.event === 'process:exit';
          place.onEvent(event);
          yield event;
        }
        // The time the reader took for them is not the server's silence.
        patience.heard();
        if (place.isOver) return;
      }
      // A server of an earlier version gives none, and does not say so.
      if (isEmpty && knownEnded) place.isOver = true;
      else if (isEmpty) knownEnded = await watched.watch(hasEnded(line, place, watched));
      if (isEmpty && knownEnded) continue;
    } catch (error) {
      place.signal?.throwIfAborted();
      if (isFinal(error)) throw error;
      cause = error;
    } finally {
      watched.close();
    }
    await patience.wait(cause, () => givenUp(line, place, cause));
  }
}

async function openBody(
  line: Line,
  place: ReadingPlace,
  watched: WatchedSignal,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const { turnId, opened, lastEventId } = place;
  place.opened = undefined;
  const opening = (): Promise<Response> =>
    line.open({
      path: `/api/harness/turns/${encodeURIComponent(turnId)}/events`,
      headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
      signal: watched.signal,
    });
  const response = opened?.response ?? (await watched.watch(opening()));
  if (response.status === 204) return undefined;
  if (response.body === null) throw new Error('The answer has no body');
  return response.body;
}

/** Asked for before another try, so that nothing which is said in between is missed. */
async function hasEnded(
  line: Line,
  { turnId }: ReadingPlace,
  { signal }: WatchedSignal,
): Promise<boolean> {
  const path = `/api/harness/turns/${encodeURIComponent(turnId)}`;
  const answer = await line.json<{ turn?: TurnRecord } | null>({ path, signal });
  // What answers everything with something would be asked for ever.
  if (answer?.turn === undefined) throw unreadable(200, 'The answer has no turn in it');
  return answer.turn.endedAt !== null;
}

/** What another try would not change. */
function isFinal(error: unknown): boolean {
  return error instanceof TurnpikeError && error.status < 500 && !error.retryable;
}

function givenUp(line: Line, { turnId, lastEventId }: ReadingPlace, cause: unknown): Error {
  const seconds = Math.round(line.maxSilenceMs / 1_000);
  const after = lastEventId === undefined ? '' : ` after ${lastEventId}`;
  return new ConnectionLostError(
    `The server at ${line.url} gave no sign of life for ${seconds} s. Turn ${turnId} may go on: follow it again${after}.`,
    { url: line.url, cause, turnId, lastEventId },
  );
}
