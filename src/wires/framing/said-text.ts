import type { TurnEvent } from '../../events/turn-event.js';

type TextDelta = Extract<TurnEvent, { type: 'text.delta' }>;

/** The reply as it was sent, of the steps that count. */
export interface SaidText {
  step: number;
  /** Of `step`. */
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

/** What a client that took every discard has of the reply. */
export function saidSoFar({ before, ofStep }: SaidText): string {
  return before + ofStep;
}

/** What of a turn's reply its deltas did not say: the note on a limit, or what a crash lost. */
export function unsaidText(text: SaidText, reply: string): string {
  return reply.slice(saidSoFar(text).length);
}
