import { toldInRules } from './told-in-rules.js';
import { toldInSessions } from './told-in-sessions.js';

/** A case where ours gives something else, on purpose. */
export interface ToldDifference {
  group: string;
  name: string;
  /** What of the case may differ; the rest of it may not. */
  aspects: readonly string[];
  /** One sentence. */
  why: string;
}

const throwsDeny =
  'A hook that throws or is too late denies the call: what fails does not open a door.';
const editsOnly = 'The mode acceptEdits is for edits alone: a command is asked about.';
const reserved = 'The cost of a call is reserved before it: nothing overruns a budget.';
const stays = 'A deferred call stays open as an approval, with every other call of its reply.';

/**
 * Every difference that is told. The list may only become shorter: `cases.test.ts` has its length. A difference
 * that is not here fails the suite over ours, and so does an entry whose case has become equal.
 */
export const toldDifferences: readonly ToldDifference[] = [
  ...toldInRules,
  ...toldInSessions,
  ...ofRules(['none', 'allow Bash(touch *)'], 'acceptEdits', {
    aspects: ['calls', 'asked', 'files'],
    why: editsOnly,
  }),
  {
    group: 'hooks',
    name: 'a hook that throws',
    aspects: ['calls', 'files', 'results', 'told', 'end'],
    why: throwsDeny,
  },
  {
    group: 'hooks',
    name: 'a hook that takes too long',
    aspects: ['results', 'end'],
    why: throwsDeny,
  },
  {
    group: 'hooks',
    name: 'defer at one of two calls',
    aspects: ['calls', 'files', 'results', 'end'],
    why: stays,
  },
  {
    group: 'ends',
    name: 'a budget that the first reply overruns',
    aspects: ['end'],
    why: reserved,
  },
  {
    group: 'ends',
    name: 'a budget that the last reply overruns',
    aspects: ['end'],
    why: reserved,
  },
];

function ofRules(
  rules: readonly string[],
  mode: string,
  told: Pick<ToldDifference, 'aspects' | 'why'>,
): ToldDifference[] {
  return rules.map((rule) => ({ group: 'rules', name: `${mode}: ${rule}`, ...told }));
}
