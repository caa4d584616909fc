import type { TurnEvent } from '../../../events/face.js';
import { compact, type JsonObject } from '../../../platform/face.js';
import type { AnswerFold } from '../../framing/face.js';
import { describeEnd, describeFailure } from './harness.js';
import type { HarnessFrames } from './harness-frames.js';

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
  /** What the turn was told beside its answer: options that had no effect, limits, … Absent: nothing. */
  notices?: readonly HarnessFrames['system:notice'][];
  /** Files of the message that were not taken. Absent: all were. */
  rejectedFiles?: readonly HarnessFrames['attachment:warning'][];
};

interface ResultState {
  error?: HarnessFrames['turn:error'];
  notices: readonly HarnessFrames['system:notice'][];
  rejectedFiles: readonly HarnessFrames['attachment:warning'][];
}

/** Folds a turn to its result. */
export function resultFold(ids: {
  turnId: string;
  sessionId: string;
}): AnswerFold<ResultState, TurnResult> {
  return {
    initial: { notices: [], rejectedFiles: [] },
    next,
    end: ({ error, notices, rejectedFiles }, event) => ({
      ...ids,
      text: event.text,
      ...describeEnd(event),
      ...compact({ output: event.output, error }),
      ...(notices.length === 0 ? {} : { notices }),
      ...(rejectedFiles.length === 0 ? {} : { rejectedFiles }),
    }),
  };
}

function next(state: ResultState, event: TurnEvent): ResultState {
  if (event.type === 'turn.failed') return { ...state, error: describeFailure(event) };
  if (event.type === 'notice.posted') {
    const { kind, level, text, metadata, seenByModel } = event;
    const notice = { kind, level, text, ...compact({ metadata }), seenByModel };
    return { ...state, notices: [...state.notices, notice] };
  }
  if (event.type !== 'attachment.rejected') return state;
  const { name, reason, index } = event;
  return {
    ...state,
    rejectedFiles: [...state.rejectedFiles, { name, reason, ...compact({ index }) }],
  };
}
