import type { Of } from './oracle-chunk.js';

/** How much of the reply was sent, of the steps that count. Characters. */
export interface OracleText {
  step: number;
  /** Of `step`. */
  ofStep: number;
  before: number;
}

export const noText: OracleText = { step: 0, ofStep: 0, before: 0 };

export function countText(text: OracleText, { step, text: said }: Of<'text.delta'>): OracleText {
  if (step === text.step) return { ...text, ofStep: text.ofStep + said.length };
  return { step, ofStep: said.length, before: text.before + text.ofStep };
}

export function discardText(text: OracleText, step: number): OracleText {
  return step === text.step ? { ...text, ofStep: 0 } : text;
}

/** What of a turn's reply its deltas did not say: the note on a limit, or what a crash lost. */
export function unsaidText(text: OracleText, reply: string): string {
  return reply.slice(text.before + text.ofStep);
}
