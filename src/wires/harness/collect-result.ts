import type { TurnEvent } from '../../events/turn-event.js';
import { describeEnd, describeFailure } from './dialect/harness.js';
import type { HarnessFrames } from './dialect/harness-frames.js';

/** A turn that has ended, for clients that read no stream. */
export type TurnResult = HarnessFrames['turn:end'] & {
  turnId: string;
  sessionId: string;
  /** The model's text without discarded steps; of a turn that was cut off, as far as it came. */
  text: string;
  /** The error of a failed turn. */
  error?: HarnessFrames['turn:error'];
};

/** @returns undefined when the events stopped before the turn's end. */
export async function collectResult(
  batches: AsyncIterable<readonly TurnEvent[]>,
  ids: { turnId: string; sessionId: string },
): Promise<TurnResult | undefined> {
  let error: HarnessFrames['turn:error'] | undefined;
  for await (const events of batches) {
    for (const event of events) {
      if (event.type === 'turn.failed') error = describeFailure(event);
      if (event.type !== 'turn.ended') continue;
      const end = describeEnd(event);
      return { ...ids, text: event.text, ...end, ...(error === undefined ? {} : { error }) };
    }
  }
  return undefined;
}
