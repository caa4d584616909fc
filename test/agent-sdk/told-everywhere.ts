/** A difference that is told once, for every case: a place that compares otherwise, by the sentence about it. */
export interface ToldEverywhere {
  says: RegExp;
  /** One sentence. */
  why: string;
}

/** They may only become fewer: `cases.test.ts` has how many there are. */
export const toldEverywhere: readonly ToldEverywhere[] = [
  {
    says: /(?:input|\[1\])\.description is not there; the real one has "/,
    why: 'The tools Bash and Agent have no description of a call here: nobody reads it.',
  },
  {
    says: /\.input\.run_in_background is not there; the real one has false$/,
    why: 'A subagent is always awaited.',
  },
  {
    says: /^asked\[\d+\]\.suggestions\[\d+\]/,
    why: 'Suggestions are a rule about the call or the mode acceptEdits, for the session: no file is written, and no folder added.',
  },
  {
    says: /\.blockedPath is null; the real one has "/,
    why: 'A question says why it is asked in a sentence, and has no path beside it.',
  },
  {
    says: /\.says\[0\] is "<text> (ours: [^"]*)"; the real one has "\1"$/,
    why: 'The server says who denied a call before what the program said.',
  },
];

/** Whether a difference is told for every case. */
export function isToldEverywhere(says: string): boolean {
  return toldEverywhere.some((one) => one.says.test(says));
}
