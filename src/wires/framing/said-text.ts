import type { TurnEvent } from '../../events/turn-event.js';

type TextDelta = Extract<TurnEvent, { type: 'text.delta' }>;

/** The reply as it was sent, of the steps that count. */
export interface SaidText {
  step: number;
  /** Text of `step`. */
  ofStep: string;
  before: string;
}

export const noText: SaidText = { step: 0, ofStep: '', before: '' };

export function growText(text: SaidText, { step, text: said }: TextDelta): SaidText {
  if (step === text.step) return { ...text, ofStep: text.ofStep + said };
  return { step, ofStep: said, before: text.before + text.ofStep };
}

export function discardText(text: SaidText, step: number): SaidText {
  return step === text.step ? { ...text, ofStep: '' } : text;
}

/** The reply as a client has it that took every discard. */
export function saidSoFar({ before, ofStep }: SaidText): string {
  return before + ofStep;
}

/** The rest of a turn's reply after its deltas: the note on a limit, or text that a crash lost. */
export function unsaidText(text: SaidText, reply: string): string {
  return reply.slice(saidSoFar(text).length);
}
