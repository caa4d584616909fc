import type { TurnEvent } from '../../events/turn-event.js';

type TextDelta = Extract<TurnEvent, { type: 'text.delta' }>;

/** The reply as it was sent, of the steps that count. */
export interface SentText {
  step: number;
  /** Text of `step`. */
  ofStep: string;
  before: string;
}

export const noText: SentText = { step: 0, ofStep: '', before: '' };

export function growText(text: SentText, { step, text: delta }: TextDelta): SentText {
  if (step === text.step) return { ...text, ofStep: text.ofStep + delta };
  return { step, ofStep: delta, before: text.before + text.ofStep };
}

export function discardText(text: SentText, step: number): SentText {
  return step === text.step ? { ...text, ofStep: '' } : text;
}

/** The reply of a client that applied every discard. */
export function sentSoFar({ before, ofStep }: SentText): string {
  return before + ofStep;
}

/** The rest of a turn's reply after its deltas: the note on a limit, or text that a crash lost. */
export function unsentText(text: SentText, reply: string): string {
  return reply.slice(sentSoFar(text).length);
}
