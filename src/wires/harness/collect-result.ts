import type { AnswerFold } from '../conversation/fold-to-end.js';
import { compact } from '../../platform/compact.js';
import type { JsonObject } from '../../platform/json.js';
import { describeEnd, describeFailure } from './dialect/harness.js';
import type { HarnessFrames } from './dialect/harness-frames.js';

/** A turn that has ended, for clients that read no stream. */
export type TurnResult = HarnessFrames['turn:end'] & {
  turnId: string;
  sessionId: string;
  /** The model's text without discarded steps; of a turn that was cut off, as far as it came. */
  text: string;
  /** The object that a turn was to end with, and ended with. */
  output?: JsonObject;
  /** The error of a failed turn. */
  error?: HarnessFrames['turn:error'];
};

/** Folds a turn to its result. */
export function resultFold(ids: {
  turnId: string;
  sessionId: string;
}): AnswerFold<HarnessFrames['turn:error'] | undefined, TurnResult> {
  return {
    initial: undefined,
    next: (error, event) => (event.type === 'turn.failed' ? describeFailure(event) : error),
    end: (error, event) => ({
      ...ids,
      text: event.text,
      ...describeEnd(event),
      ...compact({ output: event.output, error }),
    }),
  };
}
