import type { HarnessEvent } from './follow-turn.js';
import type { HarnessFrames } from '../server-types.js';

/** The outcome of a turn and its text. */
export interface TurnResult extends Readonly<HarnessFrames['turn:end']> {
  turnId: string;
  /** The model's text without discarded steps; of a turn that was cut off, as far as it came. */
  text: string;
  /** The object that a turn was to end with, and ended with (`opts.output`). */
  output?: HarnessFrames['output:final']['output'];
  /** The error of a failed turn. */
  error?: HarnessFrames['turn:error'];
  /** What the turn was told beside its answer: `options-ignored` names options that had no effect. Absent: nothing. */
  notices?: readonly HarnessFrames['system:notice'][];
  /** Files of the message that were not taken. Absent: all were. */
  rejectedFiles?: readonly HarnessFrames['attachment:warning'][];
}

/** A fold over a turn's events. */
export interface ResultState {
  /** The text of the steps before the current one. */
  readonly earlierText: string;
  readonly streamingText: string;
  /** The text as the server stored it. */
  readonly completeText?: string;
  readonly output?: TurnResult['output'];
  readonly end?: HarnessFrames['turn:end'];
  readonly error?: HarnessFrames['turn:error'];
  readonly notices?: NonNullable<TurnResult['notices']>;
  readonly rejectedFiles?: NonNullable<TurnResult['rejectedFiles']>;
}

export const emptyResult: ResultState = { earlierText: '', streamingText: '' };

/** The state after one more event. Pure. */
export function foldResult(state: ResultState, { event, data }: HarnessEvent): ResultState {
  if (event === 'chat:delta') return { ...state, streamingText: state.streamingText + data.text };
  if (event === 'step:start') {
    return { ...state, earlierText: state.earlierText + state.streamingText, streamingText: '' };
  }
  if (event === 'step:discard') return { ...state, streamingText: '' };
  if (event === 'chat:complete') return { ...state, completeText: data.text };
  if (event === 'output:final') return { ...state, output: data.output };
  if (event === 'turn:error') return { ...state, error: data };
  if (event === 'system:notice') return { ...state, notices: [...(state.notices ?? []), data] };
  if (event === 'attachment:warning') {
    return { ...state, rejectedFiles: [...(state.rejectedFiles ?? []), data] };
  }
  if (event === 'turn:end') return { ...state, end: data };
  return state;
}

/** Undefined before the turn's end. */
export function resultOf(turnId: string, state: ResultState): TurnResult | undefined {
  const { earlierText, streamingText, completeText, end } = state;
  const { output, error, notices, rejectedFiles } = state;
  if (end === undefined) return undefined;
  const text = completeText ?? earlierText + streamingText;
  return {
    turnId,
    text,
    ...end,
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    ...(notices === undefined ? {} : { notices }),
    ...(rejectedFiles === undefined ? {} : { rejectedFiles }),
  };
}
