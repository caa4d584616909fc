import type { HarnessEvent } from './harness-event.js';
import type { HarnessFrames } from './server-types.js';

/** What a turn came to. */
export interface TurnResult extends Readonly<HarnessFrames['turn:end']> {
  turnId: string;
  /** What the model said, without what was discarded; of a turn that was cut, as far as it came. */
  text: string;
  /** Why it failed. */
  error?: HarnessFrames['turn:error'];
}

/** A result in the making. */
export interface ResultState {
  /** Of the steps before the one that streams. */
  readonly said: string;
  readonly streaming: string;
  /** The text as the server has it. */
  readonly complete?: string;
  readonly end?: HarnessFrames['turn:end'];
  readonly error?: HarnessFrames['turn:error'];
}

export const emptyResult: ResultState = { said: '', streaming: '' };

/** One event further. Pure. */
export function foldResult(state: ResultState, { event, data }: HarnessEvent): ResultState {
  if (event === 'chat:delta') return { ...state, streaming: state.streaming + data.text };
  if (event === 'step:start') {
    return { ...state, said: state.said + state.streaming, streaming: '' };
  }
  if (event === 'step:discard') return { ...state, streaming: '' };
  if (event === 'chat:complete') return { ...state, complete: data.text };
  if (event === 'turn:error') return { ...state, error: data };
  if (event === 'turn:end') return { ...state, end: data };
  return state;
}

/** Undefined before the turn's end. */
export function resultOf(turnId: string, state: ResultState): TurnResult | undefined {
  const { said, streaming, complete, end, error } = state;
  if (end === undefined) return undefined;
  const text = complete ?? said + streaming;
  return { turnId, text, ...end, ...(error === undefined ? {} : { error }) };
}
